-- role: writer
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "count_small" = _0."count_small" + $1::int2, "count_int" = _0."count_int" + $2::int4, "count_big" = _0."count_big" + $3::int8, "weight" = _0."weight" + $4::float4, "volume" = _0."volume" + $5::float8, "amount" = _0."amount" + $6::numeric, "price" = _0."price" * $7::float8, "share" = _0."share" * $8::numeric
    WHERE (_0."owner_id" = $9::int4)
    AND _0."id" = $10::uuid RETURNING _0."owner_id", _0."count_small", _0."count_int", _0."count_big", _0."weight", _0."volume", _0."amount", _0."price", _0."share", (CASE WHEN (_0."owner_id" = $9::int4
        AND _0."label" IS DISTINCT
        FROM 'bad'
        AND coalesce(_0."count_int", 0) < 1000000) IS TRUE THEN 't' ELSE (SELECT $11::text) END)::bool AS "_judged") SELECT array(SELECT row(_2."count_small", _2."count_int", _2."count_big", _2."weight", _2."volume", _2."amount", _2."price"::text, _2."share")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $9::int4));
-- $1: "1" of the document
-- $2: "-2" of the document
-- $3: "3" of the document
-- $4: "0.5" of the document
-- $5: "-0.5" of the document
-- $6: "1e-1" of the document
-- $7: "1.5" of the document
-- $8: "0.5" of the document
-- $9: session value user_id, Int
-- $10: "00000000-0000-0000-0000-00000000000a" of the document
-- $11: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "price" = _0."price" + $1::numeric::money, "count_small" = _0."count_small" * $2::int2, "count_int" = _0."count_int" * $3::int4, "count_big" = _0."count_big" * $4::int8, "weight" = _0."weight" * $5::float4, "volume" = _0."volume" * $6::float8, "amount" = _0."amount" * $7::numeric
    WHERE (_0."owner_id" = $8::int4)
    AND _0."id" = $9::uuid RETURNING _0."owner_id", _0."count_small", _0."count_int", _0."count_big", _0."weight", _0."volume", _0."amount", _0."price", _0."share", (CASE WHEN (_0."owner_id" = $8::int4
        AND _0."label" IS DISTINCT
        FROM 'bad'
        AND coalesce(_0."count_int", 0) < 1000000) IS TRUE THEN 't' ELSE (SELECT $10::text) END)::bool AS "_judged") SELECT array(SELECT row(_2."count_small", _2."count_int", _2."count_big", _2."weight", _2."volume", _2."amount", _2."price"::text, _2."share")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $8::int4));
-- $1: "1e+1" of the document
-- $2: "2" of the document
-- $3: "0" of the document
-- $4: "5" of the document
-- $5: "2" of the document
-- $6: "1.5" of the document
-- $7: "3" of the document
-- $8: session value user_id, Int
-- $9: "00000000-0000-0000-0000-00000000000a" of the document
-- $10: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
