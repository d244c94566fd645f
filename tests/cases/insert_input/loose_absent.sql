-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title", "assignee_id", "priority") SELECT _0."title", _0."assignee_id", _0."priority"
    FROM unnest($1::text[], $2::int4[], $3::text[]) AS _0("title", "assignee_id", "priority") RETURNING _2."title", _2."assignee_id", _2."priority") SELECT array(SELECT row(_4."title", _4."assignee_id", _4."priority")
    FROM _3 AS _4);
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $2: assigneeId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $3: priority of the rows $.selectionSet.insertTasks.args.objects of the request, [priorities_enum]
-- _4 public.tasks: permissions.toml:507: true
