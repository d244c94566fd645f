-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4
    AND CASE WHEN _1."id" = $1::int4 THEN (CASE WHEN (_1."version" = $2::int4) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool ELSE false END FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- $2: "2" of the document
-- $3: the word of alarm 1.
-- _1 public.projects: permissions.toml:475: true
WITH _6 AS (UPDATE "public"."tasks" AS _5 SET "done" = $1::bool
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _5."project_id" = "k"."k0"::int4) RETURNING 1) SELECT;
-- $1: "true" of the document
-- _5 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_7."id")
    FROM (SELECT _7."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _7 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _7."id" = "k"."k0"::int4) AS _7
    ORDER BY _7."_place");
-- _7 public.projects: permissions.toml:473: true
