-- role: owner
INSERT INTO "public"."tasks" AS _2 ("title", "place", "priority") VALUES ($1::text, $2::int4, $3::text) RETURNING (true), _2."title", _2."place", _2."priority", _2."project_id";
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $2: place of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $3: priority of the row $.selectionSet.insertTasksOne.args.object of the request, priorities_enum
-- _2 public.tasks: permissions.toml:507: true
