-- role: owner
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "project_id" = $1::int4, "assignee_id" = $1::int4
    WHERE _0."id" = ANY ($2::int4[]) RETURNING _0."id") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _1 AS _4), '{}'), true) IS NOT NULL;
-- $1: $.selectionSet.updateTasks.args._set.projectId of the request, Int, or null
-- $2: "{\"1\",\"8\"}" of the document
-- _0 public.tasks: permissions.toml:509: true
SELECT (current_setting('postern.s2', true)::int8), array(SELECT row(_5."id", _6."id" IS NOT NULL, _6."id")
    FROM (SELECT _5."id", _5."project_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _5 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _5."id" = "k"."k0"::int4) AS _5
    LEFT JOIN "public"."projects" AS _6 ON _6."id" = _5."project_id"
    ORDER BY _5."_place");
-- _5 public.tasks: permissions.toml:507: true
-- _6 public.projects: permissions.toml:473: true
