-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."year" AS "year", ($1::int4)::int4 AS "owner_id", _0."body" AS "body", _0."_n"
    FROM unnest($2::int4[], $3::int4[], $4::text[]) WITH ORDINALITY AS _0("id", "year", "body", "_n")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."owner_id" = $1::int4
              AND _1."id" < 1000) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."entries" AS _2 ("id", "year", "owner_id", "body") SELECT _1."id", _1."year", _1."owner_id", _1."body"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) RETURNING _2."id", _2."year", _2."owner_id", _2."body") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_5."id", _5."year", _5."body")
    FROM _3 AS _5
    WHERE (_5."owner_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertEntries.args.objects of the request, [Int]
-- $3: year of the rows $.selectionSet.insertEntries.args.objects of the request, [Int]
-- $4: body of the rows $.selectionSet.insertEntries.args.objects of the request, [String]
-- $5: the word of alarm 1.
-- _1 public.entries: permissions.toml:626: owner_id = session.user_id AND id < 1000
-- _5 public.entries: permissions.toml:625: owner_id = session.user_id
