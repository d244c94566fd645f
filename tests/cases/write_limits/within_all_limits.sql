-- role: limited
INSERT INTO "public"."assets" AS _2 ("owner_id", "label", "amount", "tags", "marks", "data", "made_at") VALUES ($1::int4, $2::text, $3::numeric, $4::text[], $5::int4[], $6::jsonb, $7::timestamptz) RETURNING (true), _2."label", _2."tags", _2."marks", _2."data", _2."amount", _2."made_at";
-- $1: owner_id of the row $.selectionSet.insert_assets_one.args.object of the request, Int
-- $2: label of the row $.selectionSet.insert_assets_one.args.object of the request, String
-- $3: amount of the row $.selectionSet.insert_assets_one.args.object of the request, numeric
-- $4: tags of the row $.selectionSet.insert_assets_one.args.object of the request, [String!]
-- $5: marks of the row $.selectionSet.insert_assets_one.args.object of the request, [Int!]
-- $6: data of the row $.selectionSet.insert_assets_one.args.object of the request, jsonb
-- $7: made_at of the row $.selectionSet.insert_assets_one.args.object of the request, timestamptz
-- _2 public.assets: permissions.toml:737: true
