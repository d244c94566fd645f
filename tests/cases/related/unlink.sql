-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _1 public.projects: permissions.toml:475: true
WITH _6 AS (UPDATE "public"."tasks" AS _5 SET "project_id" = NULL
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _5."project_id" = "k"."k0"::int4)
    AND _5."id" <> $1::int4 RETURNING 1) SELECT;
-- $1: "3" of the document
-- _5 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_7."id", array(SELECT row(_8."id")
        FROM "public"."tasks" AS _8
        WHERE _8."project_id" = _7."id"))
    FROM (SELECT _7."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _7 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _7."id" = "k"."k0"::int4) AS _7
    ORDER BY _7."_place");
-- _8 public.tasks: permissions.toml:507: true
-- _7 public.projects: permissions.toml:473: true
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "done" = $1::bool
    WHERE _0."project_id" IS NULL RETURNING 1) SELECT ((SELECT count(*)
      FROM _1));
-- $1: "true" of the document
-- _0 public.tasks: permissions.toml:509: true
