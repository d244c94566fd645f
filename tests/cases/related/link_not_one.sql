-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', 0::int8::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _2)) = 1) IS TRUE THEN 't' ELSE (SELECT $1::text) END)::bool;
-- $1: the word of alarm 1.
-- _1 public.projects: permissions.toml:475: true
WITH _7 AS (UPDATE "public"."tasks" AS _6 SET "project_id" = (current_setting('postern.s3', true)::text[])[1]::int4
    WHERE _6."id" = $1::int4 RETURNING 1) SELECT set_config('postern.s8', ((SELECT count(*)
        FROM _7))::text, true) IS NOT NULL;
-- $1: "8" of the document
-- _6 public.tasks: permissions.toml:509: true
SELECT (current_setting('postern.s5', true)::int8 + current_setting('postern.s8', true)::int8);
