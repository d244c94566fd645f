-- role: clerk
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label") SELECT _0."id", ($1::int4)::int4, _0."label"
    FROM unnest($2::int4[], $3::text[]) AS _0("id", "label") ON CONFLICT ("id") DO NOTHING RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label") SELECT _0."id", ($1::int4)::int4, _0."label"
    FROM unnest($2::int4[], $3::text[]) AS _0("id", "label") ON CONFLICT ("id") DO NOTHING RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
