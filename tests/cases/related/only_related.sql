-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."open" = $1::bool FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', 0::int8::text, true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _2 AS _7), '{}'), true) IS NOT NULL;
-- $1: "true" of the document
-- _1 public.projects: permissions.toml:475: true
WITH _9 AS (UPDATE "public"."tasks" AS _8 SET "done" = $1::bool
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _8."project_id" = "k"."k0"::int4) RETURNING 1) SELECT set_config('postern.s10', ((SELECT count(*)
        FROM _9))::text, true) IS NOT NULL;
-- $1: "true" of the document
-- _8 public.tasks: permissions.toml:509: true
SELECT (current_setting('postern.s5', true)::int8 + current_setting('postern.s10', true)::int8), array(SELECT row(_11."id", _11."version", (SELECT row(count(*))
        FROM "public"."tasks" AS _12
        WHERE _12."project_id" = _11."id"
        AND _12."done" = $1::bool))
    FROM (SELECT _11."id", _11."version", "k"."place" AS "_place"
      FROM "public"."projects" AS _11 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _11."id" = "k"."k0"::int4) AS _11
    ORDER BY _11."_place");
-- $1: "true" of the document
-- _12 public.tasks: permissions.toml:507: true
-- _11 public.projects: permissions.toml:473: true
