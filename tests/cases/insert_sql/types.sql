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
-- $14: tags of the row $.selectionSet.insert_assets_one.args.object of the request, _text
-- $15: marks of the row $.selectionSet.insert_assets_one.args.object of the request, _int4
-- $16: moods of the row $.selectionSet.insert_assets_one.args.object of the request, _mood
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
WITH _6 AS MATERIALIZED (SELECT _4."id" AS "id", ($1::int4)::int4 AS "owner_id", _4."label" AS "label", _4."count_small" AS "count_small", _4."count_int" AS "count_int", _4."count_big" AS "count_big", _4."weight" AS "weight", _4."volume" AS "volume", _4."amount" AS "amount", _4."price" AS "price", _4."share" AS "share", _4."code" AS "code", _4."mood"::"public"."mood" AS "mood", _4."tags"::text[] AS "tags", _4."marks"::int4[] AS "marks", _4."moods"::"public"."mood"[] AS "moods", _4."data" AS "data", _4."plain" AS "plain", _4."made_on" AS "made_on", _4."made_at" AS "made_at", _4."spell" AS "spell", _4."raw" AS "raw", _4."nick"::"ext"."citext" AS "nick", _4."_n"
    FROM unnest($2::uuid[], $3::text[], $4::int2[], $5::int4[], $6::int8[], $7::float4[], $8::float8[], $9::numeric[], $10::money[], $11::numeric[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::jsonb[], $18::json[], $19::date[], $20::timestamptz[], $21::interval[], $22::bytea[], $23::text[], $24::int8[]) AS _4("id", "label", "count_small", "count_int", "count_big", "weight", "volume", "amount", "price", "share", "code", "mood", "tags", "marks", "moods", "data", "plain", "made_on", "made_at", "spell", "raw", "nick", "_n") UNION ALL SELECT _5."id" AS "id", ($1::int4)::int4 AS "owner_id", NULL::text AS "label", NULL::int2 AS "count_small", NULL::int4 AS "count_int", NULL::int8 AS "count_big", NULL::float4 AS "weight", NULL::float8 AS "volume", NULL::numeric AS "amount", NULL::money AS "price", NULL::numeric AS "share", NULL::text AS "code", NULL::"public"."mood" AS "mood", _5."tags"::text[] AS "tags", NULL::int4[] AS "marks", NULL::"public"."mood"[] AS "moods", _5."data" AS "data", NULL::json AS "plain", NULL::date AS "made_on", NULL::timestamptz AS "made_at", NULL::interval AS "spell", NULL::bytea AS "raw", NULL::"ext"."citext" AS "nick", _5."_n"
    FROM unnest($25::uuid[], $26::text[], $27::jsonb[], $28::int8[]) AS _5("id", "tags", "data", "_n")
    ORDER BY "_n"), _9 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_6."label" IS DISTINCT
              FROM 'bad') IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $29::text) END)::bool
      FROM _6) AS "ok"), _8 AS (INSERT INTO "public"."assets" AS _7 ("id", "owner_id", "label", "count_small", "count_int", "count_big", "weight", "volume", "amount", "price", "share", "code", "mood", "tags", "marks", "moods", "data", "plain", "made_on", "made_at", "spell", "raw", "nick") SELECT _6."id", _6."owner_id", _6."label", _6."count_small", _6."count_int", _6."count_big", _6."weight", _6."volume", _6."amount", _6."price", _6."share", _6."code", _6."mood", _6."tags", _6."marks", _6."moods", _6."data", _6."plain", _6."made_on", _6."made_at", _6."spell", _6."raw", _6."nick"
    FROM _6
    WHERE (SELECT _9."ok"
      FROM _9) RETURNING _7."id", _7."owner_id", _7."label", _7."count_small", _7."count_int", _7."count_big", _7."weight", _7."volume", _7."amount", _7."price", _7."share", _7."code", _7."mood", _7."tags", _7."marks", _7."moods", _7."data", _7."plain", _7."made_on", _7."made_at", _7."spell", _7."raw", _7."nick") SELECT ((SELECT count(*)
      FROM _8)), array(SELECT row(_10."id", _10."label", _10."count_small", _10."count_int", _10."count_big", _10."weight", _10."volume", _10."amount", _10."price"::text, _10."share", _10."code", _10."mood"::text, _10."tags", _10."marks", to_json(_10."moods")::text, _10."data", _10."plain", _10."made_on", _10."made_at", _10."spell"::text, _10."raw", _10."nick"::text)
    FROM _8 AS _10
    WHERE (_10."owner_id" = $1::int4));
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
-- $14: tags of the rows $.selectionSet.insert_assets.args.objects of the request, [_text]
-- $15: marks of the rows $.selectionSet.insert_assets.args.objects of the request, [_int4]
-- $16: moods of the rows $.selectionSet.insert_assets.args.objects of the request, [_mood]
-- $17: data of the rows $.selectionSet.insert_assets.args.objects of the request, [jsonb]
-- $18: plain of the rows $.selectionSet.insert_assets.args.objects of the request, [json]
-- $19: made_on of the rows $.selectionSet.insert_assets.args.objects of the request, [date]
-- $20: made_at of the rows $.selectionSet.insert_assets.args.objects of the request, [timestamptz]
-- $21: spell of the rows $.selectionSet.insert_assets.args.objects of the request, [interval]
-- $22: raw of the rows $.selectionSet.insert_assets.args.objects of the request, [bytea]
-- $23: nick of the rows $.selectionSet.insert_assets.args.objects of the request, [citext]
-- $24: the numbers of the rows $.selectionSet.insert_assets.args.objects
-- $25: id of the rows $.selectionSet.insert_assets.args.objects of the request, [uuid]
-- $26: tags of the rows $.selectionSet.insert_assets.args.objects of the request, [_text]
-- $27: data of the rows $.selectionSet.insert_assets.args.objects of the request, [jsonb]
-- $28: the numbers of the rows $.selectionSet.insert_assets.args.objects
-- $29: the word of alarm 1.
-- _6 public.assets: permissions.toml:608: label IS DISTINCT FROM 'bad'
-- _10 public.assets: permissions.toml:607: owner_id = session.user_id
