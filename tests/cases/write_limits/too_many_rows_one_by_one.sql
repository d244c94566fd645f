-- role: limited
INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING (true), _2."id";
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _2 public.tasks: permissions.toml:728: true
INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING (true), _2."id";
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _2 public.tasks: permissions.toml:728: true
INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING (true), _2."id";
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _2 public.tasks: permissions.toml:728: true
INSERT INTO "public"."tasks" AS _2 ("project_id", "title") VALUES ($1::int4, $2::text) RETURNING (true), _2."id";
-- $1: projectId of the row $.selectionSet.insertTasksOne.args.object of the request, Int
-- $2: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- _2 public.tasks: permissions.toml:728: true
