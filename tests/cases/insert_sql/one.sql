-- role: owner
INSERT INTO "public"."tasks" AS _2 ("title", "place") VALUES ($1::text, $2::int4) RETURNING (true), _2."id", _2."title", _2."place", _2."done", _2."priority";
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $2: place of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- _2 public.tasks: permissions.toml:507: true
