-- role: capped
WITH _1 AS (DELETE
    FROM "public"."tasks" AS _0 RETURNING 1) SELECT ((SELECT count(*)
      FROM _1))
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) <= 2) IS TRUE THEN 't' ELSE (SELECT $1::text) END)::bool;
-- $1: the word of alarm 1.
-- _0 public.tasks: permissions.toml:524: true
