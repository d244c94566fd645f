-- role: owner
INSERT INTO "public"."assets" AS _2 ("id", "owner_id", "mood", "moods") VALUES ($1::uuid, $2::int4, $3::text::"public"."mood", $4::text::"public"."mood"[]) RETURNING (true), _2."mood"::text, to_json(_2."moods")::text;
-- $1: id of the row $.selectionSet.insert_assets_one.args.object of the request, uuid
-- $2: owner_id of the row $.selectionSet.insert_assets_one.args.object of the request, Int
-- $3: mood of the row $.selectionSet.insert_assets_one.args.object of the request, mood
-- $4: moods of the row $.selectionSet.insert_assets_one.args.object of the request, [mood!]
-- _2 public.assets: typed_enums.toml:23: true
INSERT INTO "public"."assets" AS _2 ("id", "owner_id", "mood", "moods") VALUES ($1::uuid, $2::int4, $3::text::"public"."mood", $4::text::"public"."mood"[]) RETURNING (true), _2."mood"::text, to_json(_2."moods")::text;
-- $1: id of the row $.selectionSet.insert_assets_one.args.object of the request, uuid
-- $2: owner_id of the row $.selectionSet.insert_assets_one.args.object of the request, Int
-- $3: mood of the row $.selectionSet.insert_assets_one.args.object of the request, mood
-- $4: moods of the row $.selectionSet.insert_assets_one.args.object of the request, [mood!]
-- _2 public.assets: typed_enums.toml:23: true
INSERT INTO "public"."assets" AS _2 ("id", "owner_id", "mood", "moods") VALUES ($1::uuid, $2::int4, $3::text::"public"."mood", $4::text::"public"."mood"[]) RETURNING (true), _2."mood"::text, to_json(_2."moods")::text;
-- $1: id of the row $.selectionSet.insert_assets_one.args.object of the request, uuid
-- $2: owner_id of the row $.selectionSet.insert_assets_one.args.object of the request, Int
-- $3: mood of the row $.selectionSet.insert_assets_one.args.object of the request, mood
-- $4: moods of the row $.selectionSet.insert_assets_one.args.object of the request, [mood!]
-- _2 public.assets: typed_enums.toml:23: true
