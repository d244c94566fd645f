-- role: owner
WITH _3 AS (INSERT INTO "public"."assets" AS _2 ("id", "owner_id", "label", "count_small", "count_int", "count_big", "weight", "volume", "amount", "price", "share", "code", "mood", "tags", "marks", "moods", "data", "plain", "made_on", "made_at", "spell", "raw", "nick") SELECT _0."id", _0."owner_id", _0."label", _0."count_small", _0."count_int", _0."count_big", _0."weight", _0."volume", _0."amount", _0."price", _0."share", _0."code", _0."mood"::"public"."mood", _0."tags"::text[], _0."marks"::int4[], _0."moods"::"public"."mood"[], _0."data", _0."plain", _0."made_on", _0."made_at", _0."spell", _0."raw", _0."nick"::"ext"."citext"
    FROM unnest($1::uuid[], $2::int4[], $3::text[], $4::int2[], $5::int4[], $6::int8[], $7::float4[], $8::float8[], $9::numeric[], $10::money[], $11::numeric[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::jsonb[], $18::json[], $19::date[], $20::timestamptz[], $21::interval[], $22::bytea[], $23::text[]) AS _0("id", "owner_id", "label", "count_small", "count_int", "count_big", "weight", "volume", "amount", "price", "share", "code", "mood", "tags", "marks", "moods", "data", "plain", "made_on", "made_at", "spell", "raw", "nick") RETURNING _2."id", _2."label", _2."count_small", _2."count_int", _2."count_big", _2."weight", _2."volume", _2."amount", _2."price", _2."share", _2."code", _2."mood", _2."tags", _2."marks", _2."moods", _2."data", _2."plain", _2."made_on", _2."made_at", _2."spell", _2."raw", _2."nick") SELECT array(SELECT row(_4."id", _4."label", _4."count_small", _4."count_int", _4."count_big", _4."weight", _4."volume", _4."amount", _4."price"::text, _4."share", _4."code", _4."mood"::text, _4."tags", _4."marks", to_json(_4."moods")::text, _4."data", _4."plain", _4."made_on", _4."made_at", _4."spell"::text, _4."raw", _4."nick"::text)
    FROM _3 AS _4);
-- $1: id of the rows $.selectionSet.insert_assets.args.objects of the request, [uuid]
-- $2: owner_id of the rows $.selectionSet.insert_assets.args.objects of the request, [Int]
-- $3: label of the rows $.selectionSet.insert_assets.args.objects of the request, [String]
-- $4: count_small of the rows $.selectionSet.insert_assets.args.objects of the request, [smallint]
-- $5: count_int of the rows $.selectionSet.insert_assets.args.objects of the request, [Int]
-- $6: count_big of the rows $.selectionSet.insert_assets.args.objects of the request, [bigint]
-- $7: weight of the rows $.selectionSet.insert_assets.args.objects of the request, [Float]
-- $8: volume of the rows $.selectionSet.insert_assets.args.objects of the request, [float8]
-- $9: amount of the rows $.selectionSet.insert_assets.args.objects of the request, [numeric]
-- $10: price of the rows $.selectionSet.insert_assets.args.objects of the request, [money]
-- $11: share of the rows $.selectionSet.insert_assets.args.objects of the request, [percent]
-- $12: code of the rows $.selectionSet.insert_assets.args.objects of the request, [sku]
-- $13: mood of the rows $.selectionSet.insert_assets.args.objects of the request, [mood]
-- $14: tags of the rows $.selectionSet.insert_assets.args.objects of the request, [[String!]]
-- $15: marks of the rows $.selectionSet.insert_assets.args.objects of the request, [[Int!]]
-- $16: moods of the rows $.selectionSet.insert_assets.args.objects of the request, [[mood!]]
-- $17: data of the rows $.selectionSet.insert_assets.args.objects of the request, [jsonb]
-- $18: plain of the rows $.selectionSet.insert_assets.args.objects of the request, [json]
-- $19: made_on of the rows $.selectionSet.insert_assets.args.objects of the request, [date]
-- $20: made_at of the rows $.selectionSet.insert_assets.args.objects of the request, [timestamptz]
-- $21: spell of the rows $.selectionSet.insert_assets.args.objects of the request, [interval]
-- $22: raw of the rows $.selectionSet.insert_assets.args.objects of the request, [bytea]
-- $23: nick of the rows $.selectionSet.insert_assets.args.objects of the request, [citext]
-- _4 public.assets: permissions.toml:613: true
