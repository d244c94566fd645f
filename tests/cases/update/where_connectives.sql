-- role: clerk
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "budget" = $1::numeric
    WHERE (_0."owner_id" = $2::int4)
    AND false RETURNING 1, (CASE WHEN (_0."budget" > 0) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1));
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: the word of alarm 1.
-- _0 public.projects: permissions.toml:480: owner_id = session.user_id
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "budget" = $1::numeric
    WHERE (_0."owner_id" = $2::int4)
    AND NOT ((false)) RETURNING 1, (CASE WHEN (_0."budget" > 0) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1));
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: the word of alarm 1.
-- _0 public.projects: permissions.toml:480: owner_id = session.user_id
