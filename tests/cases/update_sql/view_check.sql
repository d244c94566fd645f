-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::numeric)::numeric AS "budget", _0."owner_id", _0."spent"
    FROM "public"."open_projects" AS _0
    WHERE (_0."owner_id" = $2::int4)
    AND _0."id" = $3::int4 FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."open_projects" AS _2 SET "budget" = _1."budget"
    FROM _1
    WHERE (_2."owner_id" = $2::int4)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $2::int4
              AND _1."spent" <= coalesce(_1."budget", 900)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) RETURNING 1, (CASE WHEN (_2."owner_id" = $2::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _3));
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- _0 public.open_projects: permissions.toml:642: owner_id = session.user_id
-- _2 public.open_projects: permissions.toml:642: owner_id = session.user_id
