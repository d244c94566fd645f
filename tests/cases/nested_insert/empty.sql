-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title") VALUES ($1::text) RETURNING _2."title") SELECT array(SELECT row(_4."title")
    FROM _3 AS _4);
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _4 public.tasks: permissions.toml:507: true
