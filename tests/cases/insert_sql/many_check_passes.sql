-- role: writer
WITH _2 AS MATERIALIZED (SELECT _0."id" AS "id", _0."owner_id" AS "owner_id", _0."label" AS "label", (1)::int4 AS "amount", ($1::int4)::int4 AS "made_by", _0."_n"
    FROM unnest($2::int4[], $3::int4[], $4::text[], $5::int8[]) AS _0("id", "owner_id", "label", "_n") UNION ALL SELECT _1."id" AS "id", _1."owner_id" AS "owner_id", _1."label" AS "label", _1."amount" AS "amount", ($1::int4)::int4 AS "made_by", _1."_n"
    FROM unnest($6::int4[], $7::int4[], $8::text[], $9::int4[], $10::int8[]) AS _1("id", "owner_id", "label", "amount", "_n")
    ORDER BY "_n"), _5 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_2."owner_id" = $1::int4
              AND _2."amount" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $11::text) END)::bool
      FROM _2) AS "ok"), _4 AS (INSERT INTO "public"."shelves" AS _3 ("id", "owner_id", "label", "amount", "made_by") SELECT _2."id", _2."owner_id", _2."label", _2."amount", _2."made_by"
    FROM _2
    WHERE (SELECT _5."ok"
      FROM _5) RETURNING _3."id", _3."owner_id", _3."amount", _3."made_by") SELECT ((SELECT count(*)
      FROM _4)), array(SELECT row(_6."id", _6."amount", _6."made_by")
    FROM _4 AS _6
    WHERE (_6."owner_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $4: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
-- $5: the numbers of the rows $.selectionSet.insertShelves.args.objects
-- $6: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $7: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $8: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
-- $9: amount of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $10: the numbers of the rows $.selectionSet.insertShelves.args.objects
-- $11: the word of alarm 1.
-- _2 public.shelves: permissions.toml:584: owner_id = session.user_id AND amount < 100
-- _6 public.shelves: permissions.toml:583: owner_id = session.user_id
