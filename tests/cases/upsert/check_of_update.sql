-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."owner_id" AS "owner_id", _0."label" AS "label", _0."amount" AS "amount", ($1::int4)::int4 AS "made_by", _0."_n"
    FROM unnest($2::int4[], $3::int4[], $4::text[], $5::int4[]) WITH ORDINALITY AS _0("id", "owner_id", "label", "amount", "_n")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."owner_id" = $1::int4
              AND _1."amount" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label", "amount", "made_by") SELECT _1."id", _1."owner_id", _1."label", _1."amount", _1."made_by"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) ON CONFLICT ("id") DO UPDATE SET "amount" = excluded."amount", "touched_by" = ($1::int4)::int4
    WHERE CASE WHEN (_2."owner_id" = $1::int4
      AND _2."amount" > 0) THEN (CASE WHEN (_2."owner_id" = $1::int4
        AND excluded."amount" <= 60) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool ELSE false END RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $4: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
-- $5: amount of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $6: the word of alarm 1.
-- $7: the word of alarm 2.
-- _1 public.shelves: permissions.toml:584: owner_id = session.user_id AND amount < 100
-- _2 public.shelves: permissions.toml:585: owner_id = session.user_id AND amount <= 60
-- _2 public.shelves: permissions.toml:585: owner_id = session.user_id AND amount > 0
