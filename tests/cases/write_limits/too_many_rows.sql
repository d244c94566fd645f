-- role: limited
WITH _2 AS MATERIALIZED (SELECT _0."project_id" AS "project_id", _0."title" AS "title", (0)::int4 AS "place", _0."_n"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) AS _0("project_id", "title", "_n") UNION ALL SELECT _1."project_id" AS "project_id", _1."title" AS "title", _1."place" AS "place", _1."_n"
    FROM unnest($4::int4[], $5::text[], $6::int4[], $7::int8[]) AS _1("project_id", "title", "place", "_n")
    ORDER BY "_n"), _4 AS (INSERT INTO "public"."tasks" AS _3 ("project_id", "title", "place") SELECT _2."project_id", _2."title", _2."place"
    FROM _2 RETURNING 1) SELECT ((SELECT count(*)
      FROM _4));
-- $1: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $3: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $4: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $5: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $6: place of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $7: the numbers of the rows $.selectionSet.insertTasks.args.objects
