-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING _2."title") SELECT array(SELECT row(_4."title")
    FROM _3 AS _4);
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _4 public.tasks: permissions.toml:507: true
WITH _8 AS (INSERT INTO "public"."tasks" AS _7 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING _7."id") SELECT set_config('postern.s9', coalesce((SELECT array_agg(_10."id"::text)::text
        FROM _8 AS _10), '{}'), true) IS NOT NULL;
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
SELECT array(SELECT row(_12."id" IS NOT NULL, array(SELECT row(_13."title")
        FROM "public"."tasks" AS _13
        WHERE _13."project_id" = _12."id"
        ORDER BY _13."id"))
    FROM (SELECT _11."project_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _11 JOIN unnest(current_setting('postern.s9', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _11."id" = "k"."k0"::int4) AS _11
    LEFT JOIN "public"."projects" AS _12 ON _12."id" = _11."project_id"
    ORDER BY _11."_place");
-- _13 public.tasks: permissions.toml:507: true
-- _11 public.tasks: permissions.toml:507: true
-- _12 public.projects: permissions.toml:473: true
