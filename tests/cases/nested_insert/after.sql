-- role: owner
WITH _2 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _0."title" AS "title", _0."_n"
    FROM unnest($1::text[], $2::int8[]) AS _0("title", "_n") UNION ALL SELECT _1."id" AS "id", _1."title" AS "title", _1."_n"
    FROM unnest($3::int4[], $4::text[], $5::int8[]) AS _1("id", "title", "_n")
    ORDER BY "_n"), _7 AS MATERIALIZED (SELECT _5."id" AS "task_id", _6."author_id" AS "author_id", _6."body" AS "body", _6."_n", _6."_p"
    FROM unnest($6::int4[], $7::text[], $8::int8[]) WITH ORDINALITY AS _6("author_id", "body", "_p", "_n") JOIN _2 AS _5 ON _5."_n" = _6."_p"
    ORDER BY "_n"), _4 AS (INSERT INTO "public"."tasks" AS _3 ("id", "title") OVERRIDING SYSTEM VALUE SELECT _2."id", _2."title"
    FROM _2 RETURNING _3."id"), _9 AS (INSERT INTO "public"."task_notes" AS _8 ("task_id", "author_id", "body") SELECT _7."task_id", _7."author_id", _7."body"
    FROM _7 RETURNING 1) SELECT set_config('postern.s10', ((SELECT count(*)
        FROM _4) + (SELECT count(*)
        FROM _9))::text, true) IS NOT NULL, set_config('postern.s11', coalesce((SELECT array_agg(_12."id"::text)::text
        FROM _4 AS _12), '{}'), true) IS NOT NULL;
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $2: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $3: id of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $4: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $5: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $6: authorId of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [Int]
-- $7: body of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [String]
-- $8: the rows that rows of $.selectionSet.insertTasks.args.objects.notes.data come with
SELECT (current_setting('postern.s10', true)::int8), array(SELECT row(_13."id", _13."title", array(SELECT row(_14."body")
        FROM "public"."task_notes" AS _14
        WHERE _14."task_id" = _13."id"
        ORDER BY _14."id"))
    FROM (SELECT _13."id", _13."title", "k"."place" AS "_place"
      FROM "public"."tasks" AS _13 JOIN unnest(current_setting('postern.s11', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _13."id" = "k"."k0"::int4) AS _13
    ORDER BY _13."_place");
-- _14 public.task_notes: permissions.toml:537: true
-- _13 public.tasks: permissions.toml:507: true
