-- role: limited
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) ON CONFLICT ("project_id", "title") DO UPDATE SET "title" = excluded."title" RETURNING _2."id") SELECT array(SELECT row(_4."id")
    FROM _3 AS _4);
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _2 public.tasks: permissions.toml:730: true
-- _4 public.tasks: permissions.toml:728: true
