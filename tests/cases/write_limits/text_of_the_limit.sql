-- role: limited
INSERT INTO "public"."tasks" AS _2 ("project_id", "title", "place") VALUES ($1::int4, $2::text, $3::int4) RETURNING (true), _2."title", _2."place";
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $3: place of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- _2 public.tasks: permissions.toml:728: true
