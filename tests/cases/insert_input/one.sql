-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title", "place", "priority") VALUES ($1::text, $2::int4, $3::text) RETURNING _2."project_id", _2."title", _2."place", _2."priority") SELECT array(SELECT row(_4."title", _4."place", _4."priority", _4."project_id")
    FROM _3 AS _4);
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $2: place of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $3: priority of the row $.selectionSet.insertTasksOne.args.object of the request, priorities_enum
-- _4 public.tasks: permissions.toml:507: true
