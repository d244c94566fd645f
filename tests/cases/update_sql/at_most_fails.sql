-- role: capped
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "done" = $1::bool
    WHERE _0."id" <= $2::int4 RETURNING 1) SELECT ((SELECT count(*)
      FROM _1))
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) <= 2) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: "true" of the document
-- $2: "3" of the document
-- $3: the word of alarm 1.
-- _0 public.tasks: permissions.toml:523: true
