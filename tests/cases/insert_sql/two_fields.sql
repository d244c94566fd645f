-- role: owner
INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING (true), _2."title";
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _2 public.tasks: permissions.toml:507: true
WITH _7 AS (INSERT INTO "public"."tasks" AS _6 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING _6."id") SELECT set_config('postern.s8', coalesce((SELECT array_agg(_9."id"::text)::text
        FROM _7 AS _9), '{}'), true) IS NOT NULL;
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
SELECT array(SELECT row(_11."id" IS NOT NULL, array(SELECT row(_12."title")
        FROM "public"."tasks" AS _12
        WHERE _12."project_id" = _11."id"
        ORDER BY _12."id"))
    FROM (SELECT _10."project_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _10 JOIN unnest(current_setting('postern.s8', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _10."id" = "k"."k0"::int4) AS _10
    LEFT JOIN "public"."projects" AS _11 ON _11."id" = _10."project_id"
    ORDER BY _10."_place");
-- _12 public.tasks: permissions.toml:507: true
-- _10 public.tasks: permissions.toml:507: true
-- _11 public.projects: permissions.toml:473: true
