-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title", "place") VALUES ($1::text, $2::int4) RETURNING _2."id", _2."title", _2."place", _2."done", _2."priority") SELECT array(SELECT row(_4."id", _4."title", _4."place", _4."done", _4."priority")
    FROM _3 AS _4);
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $2: place of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- _4 public.tasks: permissions.toml:507: true
