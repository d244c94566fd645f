-- role: owner
WITH _3 AS MATERIALIZED (SELECT _0."project_id" AS "project_id", _0."title" AS "title", (0)::int4 AS "place", _0."assignee_id" AS "assignee_id", ('normal'::text)::text AS "priority", _0."_n"
    FROM unnest($1::int4[], $2::text[], $3::int4[], $4::int8[]) AS _0("project_id", "title", "assignee_id", "_n") UNION ALL SELECT NULL::int4 AS "project_id", _1."title" AS "title", _1."place" AS "place", NULL::int4 AS "assignee_id", ('normal'::text)::text AS "priority", _1."_n"
    FROM unnest($5::text[], $6::int4[], $7::int8[]) AS _1("title", "place", "_n") UNION ALL SELECT NULL::int4 AS "project_id", _2."title" AS "title", _2."place" AS "place", NULL::int4 AS "assignee_id", _2."priority" AS "priority", _2."_n"
    FROM unnest($8::text[], $9::int4[], $10::text[], $11::int8[]) AS _2("title", "place", "priority", "_n")
    ORDER BY "_n"), _5 AS (INSERT INTO "public"."tasks" AS _4 ("project_id", "title", "place", "assignee_id", "priority") SELECT _3."project_id", _3."title", _3."place", _3."assignee_id", _3."priority"
    FROM _3 RETURNING _4."project_id", _4."title", _4."place", _4."assignee_id", _4."priority") SELECT ((SELECT count(*)
      FROM _5)), array(SELECT row(_6."title", _6."place", _6."project_id", _6."assignee_id", _6."priority")
    FROM _5 AS _6);
-- $1: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $3: assigneeId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $4: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $5: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $6: place of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $7: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $8: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $9: place of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $10: priority of the rows $.selectionSet.insertTasks.args.objects of the request, [priorities_enum]
-- $11: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- _6 public.tasks: permissions.toml:507: true
