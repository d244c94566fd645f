-- role: owner
INSERT INTO "public"."tasks" AS _2 ("title", "priority") VALUES ($1::text, $2::text) RETURNING (true), _2."title", _2."priority";
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $2: priority of the row $.selectionSet.insertTasksOne.args.object of the request, priorities_enum
-- _2 public.tasks: permissions.toml:507: true
