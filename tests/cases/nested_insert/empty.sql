-- role: owner
INSERT INTO "public"."tasks" AS _2 ("title") VALUES ($1::text) RETURNING (true), _2."title";
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _2 public.tasks: permissions.toml:507: true
