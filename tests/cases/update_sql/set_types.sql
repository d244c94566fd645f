-- role: writer
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "label" = $1::text, "count_small" = $2::int2, "count_int" = $3::int4, "count_big" = $4::int8, "weight" = $5::float4, "volume" = $6::float8, "amount" = $7::numeric, "price" = $8::money, "share" = $9::numeric, "mood" = $10::text::"public"."mood", "tags" = $11::text[], "marks" = $12::int4[], "moods" = $13::text::"public"."mood"[], "data" = $14::jsonb, "plain" = $15::json, "made_on" = $16::date, "made_at" = $17::timestamptz, "spell" = $18::interval, "raw" = $19::bytea, "nick" = $20::text::"ext"."citext"
    WHERE (_0."owner_id" = $21::int4)
    AND _0."owner_id" = $22::int4
    AND _0."label" IS NULL RETURNING _0."owner_id", _0."label", _0."count_small", _0."count_int", _0."count_big", _0."weight", _0."volume", _0."amount", _0."price", _0."share", _0."mood", _0."tags", _0."marks", _0."moods", _0."data", _0."plain", _0."made_on", _0."made_at", _0."spell", _0."raw", _0."nick", (CASE WHEN (_0."owner_id" = $21::int4
        AND _0."label" IS DISTINCT
        FROM 'bad'
        AND coalesce(_0."count_int", 0) < 1000000) IS TRUE THEN 't' ELSE (SELECT $23::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."label", _2."count_small", _2."count_int", _2."count_big", _2."weight", _2."volume", _2."amount", _2."price"::text, _2."share", _2."mood"::text, _2."tags", _2."marks", to_json(_2."moods")::text, _2."data", _2."plain", _2."made_on", _2."made_at", _2."spell"::text, _2."raw", _2."nick"::text)
    FROM _1 AS _2
    WHERE (_2."owner_id" = $21::int4));
-- $1: "it's" of the document
-- $2: "1" of the document
-- $3: "2" of the document
-- $4: "3" of the document
-- $5: "1.5" of the document
-- $6: "2.5" of the document
-- $7: "1.50" of the document
-- $8: "$3.00" of the document
-- $9: "50" of the document
-- $10: "sad" of the document
-- $11: "{\"a\",\"b c\"}" of the document
-- $12: "{\"1\",\"2\"}" of the document
-- $13: "{\"happy\",\"sad\"}" of the document
-- $14: "{\"k\":[1,null]}" of the document
-- $15: "{\"b\":1}" of the document
-- $16: "2024-01-01" of the document
-- $17: "2024-01-01T00:00:00Z" of the document
-- $18: "1 day" of the document
-- $19: "\\x01" of the document
-- $20: "NICK" of the document
-- $21: session value user_id, Int
-- $22: "1" of the document
-- $23: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::text)::text AS "code", ($2::text)::text AS "label", _0."owner_id", _0."count_int"
    FROM "public"."assets" AS _0
    WHERE (_0."owner_id" = $3::int4)
    AND _0."label" = $4::text FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."assets" AS _2 SET "code" = _1."code", "label" = _1."label"
    FROM _1
    WHERE (_2."owner_id" = $3::int4)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $3::int4
              AND _1."label" IS DISTINCT
              FROM 'bad'
              AND coalesce(_1."count_int", 0) < 1000000) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool
      FROM _1) RETURNING _2."owner_id", _2."label", _2."code") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_4."code", _4."label")
    FROM _3 AS _4
    WHERE (_4."owner_id" = $3::int4));
-- $1: "NW-1" of the document
-- $2: $.selectionSet.update_assets.args._set.label of the request, String, or null
-- $3: session value user_id, Int
-- $4: "saw" of the document
-- $5: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:609: owner_id = session.user_id
-- _4 public.assets: permissions.toml:607: owner_id = session.user_id
