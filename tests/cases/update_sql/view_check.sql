-- role: writer
WITH _1 AS (UPDATE "public"."open_projects" AS _0 SET "budget" = $1::numeric
    WHERE (_0."owner_id" = $2::int4)
    AND _0."id" = $3::int4 RETURNING 1, (CASE WHEN (_0."owner_id" = $2::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1));
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- _0 public.open_projects: permissions.toml:642: owner_id = session.user_id
