-- role: owner
WITH _2 AS MATERIALIZED (SELECT _0."id" AS "id", _0."owner_id" AS "owner_id", _0."label" AS "label", _0."amount" AS "amount", _0."_n"
    FROM unnest($1::int4[], $2::int4[], $3::text[], $4::int4[], $5::int8[]) AS _0("id", "owner_id", "label", "amount", "_n") UNION ALL SELECT _1."id" AS "id", _1."owner_id" AS "owner_id", _1."label" AS "label", (1)::int4 AS "amount", _1."_n"
    FROM unnest($6::int4[], $7::int4[], $8::text[], $9::int8[]) AS _1("id", "owner_id", "label", "_n")
    ORDER BY "_n"), _4 AS (INSERT INTO "public"."shelves" AS _3 ("id", "owner_id", "label", "amount") SELECT _2."id", _2."owner_id", _2."label", _2."amount"
    FROM _2 ON CONFLICT ("id") DO UPDATE SET "label" = excluded."label", "amount" = excluded."amount" RETURNING _3."id", _3."owner_id", _3."label", _3."amount") SELECT ((SELECT count(*)
      FROM _4)), array(SELECT row(_5."id", _5."owner_id", _5."label", _5."amount")
    FROM _4 AS _5);
-- $1: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $2: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
-- $4: amount of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $5: the numbers of the rows $.selectionSet.insertShelves.args.objects
-- $6: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $7: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $8: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
-- $9: the numbers of the rows $.selectionSet.insertShelves.args.objects
-- _3 public.shelves: permissions.toml:591: true
-- _5 public.shelves: permissions.toml:589: true
