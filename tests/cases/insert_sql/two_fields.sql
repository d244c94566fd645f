-- role: owner
INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING (true), _2."title";
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _2 public.tasks: permissions.toml:507: true
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL;
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
SELECT array(SELECT row(_7."id" IS NOT NULL, array(SELECT row(_8."title")
        FROM "public"."tasks" AS _8
        WHERE _8."project_id" = _7."id"
        ORDER BY _8."id"))
    FROM (SELECT _6."project_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _6 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _6."id" = "k"."k0"::int4) AS _6
    LEFT JOIN "public"."projects" AS _7 ON _7."id" = _6."project_id"
    ORDER BY _6."_place");
-- _8 public.tasks: permissions.toml:507: true
-- _6 public.tasks: permissions.toml:507: true
-- _7 public.projects: permissions.toml:473: true
