-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::text)::text AS "code", _0."owner_id", _0."label", _0."count_int"
    FROM "public"."assets" AS _0
    WHERE (_0."owner_id" = $2::int4)
    AND _0."label" = $3::text FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."assets" AS _2 SET "code" = _1."code"
    FROM _1
    WHERE (_2."owner_id" = $2::int4)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $2::int4
              AND _1."label" IS DISTINCT
              FROM 'bad'
              AND coalesce(_1."count_int", 0) < 1000000) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: "not a sku!" of the document
-- $2: session value user_id, Int
-- $3: "saw" of the document
-- $4: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:609: owner_id = session.user_id
