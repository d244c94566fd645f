-- role: owner
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label") SELECT _0."id", _0."owner_id", _0."label"
    FROM unnest($1::int4[], $2::int4[], $3::text[]) AS _0("id", "owner_id", "label") ON CONFLICT ("id") DO NOTHING RETURNING _2."id", _2."label") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_4."id", _4."label")
    FROM _3 AS _4);
-- $1: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $2: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
-- _4 public.shelves: permissions.toml:589: true
