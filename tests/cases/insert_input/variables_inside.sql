-- role: owner
WITH _2 AS MATERIALIZED (SELECT _0."title" AS "title", (0)::int4 AS "place", _0."priority" AS "priority", _0."_n"
    FROM unnest($1::text[], $2::text[], $3::int8[]) AS _0("title", "priority", "_n") UNION ALL SELECT _1."title" AS "title", _1."place" AS "place", ('normal'::text)::text AS "priority", _1."_n"
    FROM unnest($4::text[], $5::int4[], $6::int8[]) AS _1("title", "place", "_n")
    ORDER BY "_n"), _4 AS (INSERT INTO "public"."tasks" AS _3 ("title", "place", "priority") SELECT _2."title", _2."place", _2."priority"
    FROM _2 RETURNING _3."title", _3."place", _3."priority") SELECT array(SELECT row(_5."title", _5."place", _5."priority")
    FROM _4 AS _5);
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $2: priority of the rows $.selectionSet.insertTasks.args.objects of the request, [priorities_enum]
-- $3: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $4: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $5: place of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $6: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- _5 public.tasks: permissions.toml:507: true
