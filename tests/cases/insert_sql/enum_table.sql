-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title", "priority") VALUES ($1::text, $2::text) RETURNING _2."title", _2."priority") SELECT array(SELECT row(_4."title", _4."priority")
    FROM _3 AS _4);
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $2: priority of the row $.selectionSet.insertTasksOne.args.object of the request, priorities_enum
-- _4 public.tasks: permissions.toml:507: true
