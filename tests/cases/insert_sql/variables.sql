-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title") SELECT _0."title"
    FROM unnest($1::text[]) AS _0("title") RETURNING _2."id", _2."title") SELECT array(SELECT row(_4."id", _4."title")
    FROM _3 AS _4);
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- _4 public.tasks: permissions.toml:507: true
