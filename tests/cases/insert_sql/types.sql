-- role: writer
INSERT INTO "public"."assets" AS _2 ("id", "owner_id", "label", "count_small", "count_int", "count_big", "weight", "volume", "amount", "price", "share", "code", "mood", "tags", "marks", "moods", "data", "plain", "made_on", "made_at", "spell", "raw", "nick") SELECT _1."id", _1."owner_id", _1."label", _1."count_small", _1."count_int", _1."count_big", _1."weight", _1."volume", _1."amount", _1."price", _1."share", _1."code", _1."mood", _1."tags", _1."marks", _1."moods", _1."data", _1."plain", _1."made_on", _1."made_at", _1."spell", _1."raw", _1."nick"
  FROM (SELECT $1::uuid AS "id", ($2::int4)::int4 AS "owner_id", $3::text AS "label", $4::int2 AS "count_small", $5::int4 AS "count_int", $6::int8 AS "count_big", $7::float4 AS "weight", $8::float8 AS "volume", $9::numeric AS "amount", $10::money AS "price", $11::numeric AS "share", $12::text AS "code", $13::text::"public"."mood" AS "mood", $14::text[] AS "tags", $15::int4[] AS "marks", $16::text::"public"."mood"[] AS "moods", $17::jsonb AS "data", $18::json AS "plain", $19::date AS "made_on", $20::timestamptz AS "made_at", $21::interval AS "spell", $22::bytea AS "raw", $23::text::"ext"."citext" AS "nick") AS _1
  WHERE (CASE WHEN (_1."label" IS DISTINCT
      FROM 'bad') IS TRUE THEN 't' ELSE (SELECT $24::text) END)::bool RETURNING (_2."owner_id" = $2::int4), _2."id", _2."label", _2."count_small", _2."count_int", _2."count_big", _2."weight", _2."volume", _2."amount", _2."price"::text, _2."share", _2."code", _2."mood"::text, _2."tags", _2."marks", to_json(_2."moods")::text, _2."data", _2."plain", _2."made_on", _2."made_at", _2."spell"::text, _2."raw", _2."nick"::text;
-- $1: id of the row $.selectionSet.insert_assets_one.args.object of the request, uuid
-- $2: session value user_id, Int
-- $3: label of the row $.selectionSet.insert_assets_one.args.object of the request, String
-- $4: count_small of the row $.selectionSet.insert_assets_one.args.object of the request, smallint
-- $5: count_int of the row $.selectionSet.insert_assets_one.args.object of the request, Int
-- $6: count_big of the row $.selectionSet.insert_assets_one.args.object of the request, bigint
-- $7: weight of the row $.selectionSet.insert_assets_one.args.object of the request, Float
-- $8: volume of the row $.selectionSet.insert_assets_one.args.object of the request, float8
-- $9: amount of the row $.selectionSet.insert_assets_one.args.object of the request, numeric
-- $10: price of the row $.selectionSet.insert_assets_one.args.object of the request, money
-- $11: share of the row $.selectionSet.insert_assets_one.args.object of the request, percent
-- $12: code of the row $.selectionSet.insert_assets_one.args.object of the request, sku
-- $13: mood of the row $.selectionSet.insert_assets_one.args.object of the request, mood
-- $14: tags of the row $.selectionSet.insert_assets_one.args.object of the request, [String!]
-- $15: marks of the row $.selectionSet.insert_assets_one.args.object of the request, [Int!]
-- $16: moods of the row $.selectionSet.insert_assets_one.args.object of the request, [mood!]
-- $17: data of the row $.selectionSet.insert_assets_one.args.object of the request, jsonb
-- $18: plain of the row $.selectionSet.insert_assets_one.args.object of the request, json
-- $19: made_on of the row $.selectionSet.insert_assets_one.args.object of the request, date
-- $20: made_at of the row $.selectionSet.insert_assets_one.args.object of the request, timestamptz
-- $21: spell of the row $.selectionSet.insert_assets_one.args.object of the request, interval
-- $22: raw of the row $.selectionSet.insert_assets_one.args.object of the request, bytea
-- $23: nick of the row $.selectionSet.insert_assets_one.args.object of the request, citext
-- $24: the word of alarm 1.
-- _1 public.assets: permissions.toml:608: label IS DISTINCT FROM 'bad'
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
WITH _2 AS MATERIALIZED (SELECT _0."id" AS "id", ($1::int4)::int4 AS "owner_id", _0."label" AS "label", _0."count_small" AS "count_small", _0."count_int" AS "count_int", _0."count_big" AS "count_big", _0."weight" AS "weight", _0."volume" AS "volume", _0."amount" AS "amount", _0."price" AS "price", _0."share" AS "share", _0."code" AS "code", _0."mood"::"public"."mood" AS "mood", _0."tags"::text[] AS "tags", _0."marks"::int4[] AS "marks", _0."moods"::"public"."mood"[] AS "moods", _0."data" AS "data", _0."plain" AS "plain", _0."made_on" AS "made_on", _0."made_at" AS "made_at", _0."spell" AS "spell", _0."raw" AS "raw", _0."nick"::"ext"."citext" AS "nick", _0."_n"
    FROM unnest($2::uuid[], $3::text[], $4::int2[], $5::int4[], $6::int8[], $7::float4[], $8::float8[], $9::numeric[], $10::money[], $11::numeric[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::jsonb[], $18::json[], $19::date[], $20::timestamptz[], $21::interval[], $22::bytea[], $23::text[], $24::int8[]) AS _0("id", "label", "count_small", "count_int", "count_big", "weight", "volume", "amount", "price", "share", "code", "mood", "tags", "marks", "moods", "data", "plain", "made_on", "made_at", "spell", "raw", "nick", "_n") UNION ALL SELECT _1."id" AS "id", ($1::int4)::int4 AS "owner_id", NULL::text AS "label", NULL::int2 AS "count_small", NULL::int4 AS "count_int", NULL::int8 AS "count_big", NULL::float4 AS "weight", NULL::float8 AS "volume", NULL::numeric AS "amount", NULL::money AS "price", NULL::numeric AS "share", NULL::text AS "code", NULL::"public"."mood" AS "mood", _1."tags"::text[] AS "tags", NULL::int4[] AS "marks", NULL::"public"."mood"[] AS "moods", _1."data" AS "data", NULL::json AS "plain", NULL::date AS "made_on", NULL::timestamptz AS "made_at", NULL::interval AS "spell", NULL::bytea AS "raw", NULL::"ext"."citext" AS "nick", _1."_n"
    FROM unnest($25::uuid[], $26::text[], $27::jsonb[], $28::int8[]) AS _1("id", "tags", "data", "_n")
    ORDER BY "_n"), _5 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_2."label" IS DISTINCT
              FROM 'bad') IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $29::text) END)::bool
      FROM _2) AS "ok"), _4 AS (INSERT INTO "public"."assets" AS _3 ("id", "owner_id", "label", "count_small", "count_int", "count_big", "weight", "volume", "amount", "price", "share", "code", "mood", "tags", "marks", "moods", "data", "plain", "made_on", "made_at", "spell", "raw", "nick") SELECT _2."id", _2."owner_id", _2."label", _2."count_small", _2."count_int", _2."count_big", _2."weight", _2."volume", _2."amount", _2."price", _2."share", _2."code", _2."mood", _2."tags", _2."marks", _2."moods", _2."data", _2."plain", _2."made_on", _2."made_at", _2."spell", _2."raw", _2."nick"
    FROM _2
    WHERE (SELECT _5."ok"
      FROM _5) RETURNING _3."id", _3."owner_id", _3."label", _3."count_small", _3."count_int", _3."count_big", _3."weight", _3."volume", _3."amount", _3."price", _3."share", _3."code", _3."mood", _3."tags", _3."marks", _3."moods", _3."data", _3."plain", _3."made_on", _3."made_at", _3."spell", _3."raw", _3."nick") SELECT ((SELECT count(*)
      FROM _4)), array(SELECT row(_6."id", _6."label", _6."count_small", _6."count_int", _6."count_big", _6."weight", _6."volume", _6."amount", _6."price"::text, _6."share", _6."code", _6."mood"::text, _6."tags", _6."marks", to_json(_6."moods")::text, _6."data", _6."plain", _6."made_on", _6."made_at", _6."spell"::text, _6."raw", _6."nick"::text)
    FROM _4 AS _6
    WHERE (_6."owner_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insert_assets.args.objects of the request, [uuid]
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
-- $24: the numbers of the rows $.selectionSet.insert_assets.args.objects
-- $25: id of the rows $.selectionSet.insert_assets.args.objects of the request, [uuid]
-- $26: tags of the rows $.selectionSet.insert_assets.args.objects of the request, [[String!]]
-- $27: data of the rows $.selectionSet.insert_assets.args.objects of the request, [jsonb]
-- $28: the numbers of the rows $.selectionSet.insert_assets.args.objects
-- $29: the word of alarm 1.
-- _2 public.assets: permissions.toml:608: label IS DISTINCT FROM 'bad'
-- _6 public.assets: permissions.toml:607: owner_id = session.user_id
