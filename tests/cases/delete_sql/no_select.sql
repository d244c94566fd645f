-- role: clerk
WITH _1 AS (DELETE
    FROM "public"."projects" AS _0
    WHERE (_0."owner_id" = $1::int4
      AND NOT _0."open") RETURNING 1) SELECT ((SELECT count(*)
      FROM _1));
-- $1: session value user_id, Int
-- _0 public.projects: permissions.toml:481: owner_id = session.user_id AND NOT open
