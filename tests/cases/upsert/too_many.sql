-- role: capped
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("project_id", "title", "place") SELECT _0."project_id", _0."title", _0."place"
    FROM unnest($1::int4[], $2::text[], $3::int4[]) AS _0("project_id", "title", "place") ON CONFLICT ("project_id", "title") DO UPDATE SET "place" = excluded."place" RETURNING 1, _2.xmax <> 0 AS "_updated") SELECT ((SELECT count(*)
      FROM _3))
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3
          WHERE _3."_updated")) <= 2) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $3: place of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $4: the word of alarm 1.
-- _2 public.tasks: permissions.toml:523: true
