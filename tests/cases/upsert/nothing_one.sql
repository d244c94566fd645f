-- role: owner
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label") VALUES ($1::int4, $2::int4, $3::text) ON CONFLICT ("id") DO NOTHING RETURNING _2."id", _2."label") SELECT array(SELECT row(_4."id", _4."label")
    FROM _3 AS _4);
-- $1: id of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $2: ownerId of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $3: label of the row $.selectionSet.insertShelvesOne.args.object of the request, String
-- _4 public.shelves: permissions.toml:589: true
