-- role: capped
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "place" = $1::int4
    WHERE _0."id" = $2::int4 RETURNING 1) SELECT ((SELECT count(*)
      FROM _1)), set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) <= 2) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: "5" of the document
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- _0 public.tasks: permissions.toml:523: true
WITH _4 AS (UPDATE "public"."tasks" AS _3 SET "place" = $1::int4
    WHERE _3."id" > $2::int4 RETURNING 1) SELECT ((SELECT count(*)
      FROM _4)), set_config('postern.s5', ((SELECT count(*)
        FROM _4))::text, true) IS NOT NULL
  WHERE (CASE WHEN ((current_setting('postern.s2', true)::int8 + (SELECT count(*)
          FROM _4)) <= 2) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: "6" of the document
-- $2: "7" of the document
-- $3: the word of alarm 1.
-- _3 public.tasks: permissions.toml:523: true
