-- role: writer
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = $1::jsonb
    WHERE (_0."owner_id" = $2::int4)
    AND _0."label" = $3::text RETURNING _0."owner_id", _0."data", (CASE WHEN (_0."owner_id" = $2::int4
        AND _0."label" IS DISTINCT
        FROM 'bad'
        AND coalesce(_0."count_int", 0) < 1000000) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $2::int4));
-- $1: $.selectionSet.update_assets.args._set.data of the request, jsonb, or null
-- $2: session value user_id, Int
-- $3: "saw" of the document
-- $4: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
