-- role: owner
WITH _4 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _0."title" AS "title", _0."place" AS "place", (false)::bool AS "done", ('normal'::text)::text AS "priority", _0."_n"
    FROM unnest($1::text[], $2::int4[], $3::int8[]) AS _0("title", "place", "_n") UNION ALL SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _1."title" AS "title", (0)::int4 AS "place", (false)::bool AS "done", _1."priority" AS "priority", _1."_n"
    FROM unnest($4::text[], $5::text[], $6::int8[]) AS _1("title", "priority", "_n") UNION ALL SELECT _2."id" AS "id", _2."title" AS "title", (0)::int4 AS "place", _2."done" AS "done", ('normal'::text)::text AS "priority", _2."_n"
    FROM unnest($7::int4[], $8::text[], $9::bool[], $10::int8[]) AS _2("id", "title", "done", "_n") UNION ALL SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _3."title" AS "title", _3."place" AS "place", (false)::bool AS "done", _3."priority" AS "priority", _3."_n"
    FROM unnest($11::text[], $12::int4[], $13::text[], $14::int8[]) AS _3("title", "place", "priority", "_n")
    ORDER BY "_n"), _6 AS (INSERT INTO "public"."tasks" AS _5 ("id", "title", "place", "done", "priority") OVERRIDING SYSTEM VALUE SELECT _4."id", _4."title", _4."place", _4."done", _4."priority"
    FROM _4 RETURNING _5."id", _5."title", _5."place", _5."done", _5."priority") SELECT ((SELECT count(*)
      FROM _6)), array(SELECT row(_7."id", _7."title", _7."place", _7."done", _7."priority")
    FROM _6 AS _7);
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $2: place of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $3: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $4: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $5: priority of the rows $.selectionSet.insertTasks.args.objects of the request, [priorities_enum]
-- $6: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $7: id of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $8: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $9: done of the rows $.selectionSet.insertTasks.args.objects of the request, [Boolean]
-- $10: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $11: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $12: place of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $13: priority of the rows $.selectionSet.insertTasks.args.objects of the request, [priorities_enum]
-- $14: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- _7 public.tasks: permissions.toml:507: true
