-- role: limited
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("project_id", "title") SELECT _0."project_id", _0."title"
    FROM unnest($1::int4[], $2::text[]) AS _0("project_id", "title") RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("project_id", "title") SELECT _0."project_id", _0."title"
    FROM unnest($1::int4[], $2::text[]) AS _0("project_id", "title") RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
