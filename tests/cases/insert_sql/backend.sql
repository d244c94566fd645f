-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title") SELECT _0."title"
    FROM unnest($1::text[]) AS _0("title") RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]

-- role: backend
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title") SELECT _0."title"
    FROM unnest($1::text[]) AS _0("title") RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
