-- role: owner
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label", "amount") SELECT _0."id", _0."owner_id", _0."label", _0."amount"
    FROM unnest($1::int4[], $2::int4[], $3::text[], $4::int4[]) AS _0("id", "owner_id", "label", "amount") ON CONFLICT ("label") DO UPDATE SET "amount" = excluded."amount", "note" = excluded."note"
    WHERE CASE WHEN ((_2."amount" < $5::int4)) THEN true ELSE false END RETURNING _2."id", _2."label", _2."amount", _2."note") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_4."id", _4."label", _4."amount", _4."note")
    FROM _3 AS _4);
-- $1: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $2: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
-- $4: amount of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $5: $.selectionSet.insertShelves.args.on_conflict.where.amount._lt of the request, Int
-- _2 public.shelves: permissions.toml:591: true
-- _4 public.shelves: permissions.toml:589: true
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label", "note") VALUES ($1::int4, $2::int4, $3::text, $4::text) ON CONFLICT ("id") DO UPDATE SET "note" = excluded."note" RETURNING _2."id", _2."label", _2."note") SELECT array(SELECT row(_4."id", _4."label", _4."note")
    FROM _3 AS _4);
-- $1: id of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $2: ownerId of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $3: label of the row $.selectionSet.insertShelvesOne.args.object of the request, String
-- $4: note of the row $.selectionSet.insertShelvesOne.args.object of the request, String
-- _2 public.shelves: permissions.toml:591: true
-- _4 public.shelves: permissions.toml:589: true
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label") VALUES ($1::int4, $2::int4, $3::text) ON CONFLICT ("id") DO NOTHING RETURNING _2."id") SELECT array(SELECT row(_4."id")
    FROM _3 AS _4);
-- $1: id of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $2: ownerId of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $3: label of the row $.selectionSet.insertShelvesOne.args.object of the request, String
-- _4 public.shelves: permissions.toml:589: true
