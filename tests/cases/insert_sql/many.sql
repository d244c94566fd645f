-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title", "place") SELECT _0."title", _0."place"
    FROM unnest($1::text[], $2::int4[]) AS _0("title", "place") RETURNING _2."id", _2."title", _2."place", _2."priority") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_4."id", _4."title", _4."place", _4."priority")
    FROM _3 AS _4);
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $2: place of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- _4 public.tasks: permissions.toml:507: true
