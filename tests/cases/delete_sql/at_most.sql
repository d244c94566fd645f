-- role: capped
WITH _1 AS (DELETE
    FROM "public"."tasks" AS _0
    WHERE _0."id" > $1::int4 RETURNING 1) SELECT ((SELECT count(*)
      FROM _1))
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) <= 2) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool;
-- $1: "7" of the document
-- $2: the word of alarm 1.
-- _0 public.tasks: permissions.toml:524: true
