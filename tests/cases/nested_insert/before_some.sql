-- role: owner
WITH _2 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _0."title" AS "title", (0)::int4 AS "place", _0."_n", _0."_p"
    FROM unnest($1::text[], $2::int8[], $3::int8[]) AS _0("title", "_p", "_n") UNION ALL SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _1."title" AS "title", _1."place" AS "place", _1."_n", _1."_p"
    FROM unnest($4::text[], $5::int4[], $6::int8[], $7::int8[]) AS _1("title", "place", "_p", "_n")
    ORDER BY "_n"), _8 AS MATERIALIZED (SELECT _5."id" AS "task_id", _6."author_id" AS "author_id", _6."body" AS "body", _6."_n"
    FROM unnest($8::int4[], $9::text[], $10::int8[]) AS _6("author_id", "body", "_n") JOIN _2 AS _5 ON _5."_p" = _6."_n" UNION ALL SELECT _7."task_id" AS "task_id", _7."author_id" AS "author_id", _7."body" AS "body", _7."_n"
    FROM unnest($11::int4[], $12::int4[], $13::text[], $14::int8[]) AS _7("task_id", "author_id", "body", "_n")
    ORDER BY "_n"), _4 AS (INSERT INTO "public"."tasks" AS _3 ("id", "title", "place") OVERRIDING SYSTEM VALUE SELECT _2."id", _2."title", _2."place"
    FROM _2 RETURNING 1), _10 AS (INSERT INTO "public"."task_notes" AS _9 ("task_id", "author_id", "body") SELECT _8."task_id", _8."author_id", _8."body"
    FROM _8 RETURNING _9."id") SELECT set_config('postern.s11', ((SELECT count(*)
        FROM _4) + (SELECT count(*)
        FROM _10))::text, true) IS NOT NULL, set_config('postern.s12', coalesce((SELECT array_agg(_13."id"::text)::text
        FROM _10 AS _13), '{}'), true) IS NOT NULL;
-- $1: title of the rows $.selectionSet.insertTaskNotes.args.objects.task.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertTaskNotes.args.objects.task.data come with
-- $3: the numbers of the rows $.selectionSet.insertTaskNotes.args.objects.task.data
-- $4: title of the rows $.selectionSet.insertTaskNotes.args.objects.task.data of the request, [String]
-- $5: place of the rows $.selectionSet.insertTaskNotes.args.objects.task.data of the request, [Int]
-- $6: the rows that rows of $.selectionSet.insertTaskNotes.args.objects.task.data come with
-- $7: the numbers of the rows $.selectionSet.insertTaskNotes.args.objects.task.data
-- $8: authorId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $9: body of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [String]
-- $10: the numbers of the rows $.selectionSet.insertTaskNotes.args.objects
-- $11: taskId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $12: authorId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $13: body of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [String]
-- $14: the numbers of the rows $.selectionSet.insertTaskNotes.args.objects
SELECT (current_setting('postern.s11', true)::int8), array(SELECT row(_14."id", _14."body", _15."id" IS NOT NULL, _15."id", _15."title")
    FROM (SELECT _14."id", _14."task_id", _14."body", "k"."place" AS "_place"
      FROM "public"."task_notes" AS _14 JOIN unnest(current_setting('postern.s12', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _14."id" = "k"."k0"::int4) AS _14
    LEFT JOIN "public"."tasks" AS _15 ON _15."id" = _14."task_id"
    ORDER BY _14."_place");
-- _14 public.task_notes: permissions.toml:537: true
-- _15 public.tasks: permissions.toml:507: true
