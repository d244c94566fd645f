-- role: owner
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."title" AS "title", _0."_n", _0."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _0("id", "title", "_p", "_n")), _3 AS (INSERT INTO "public"."tasks" AS _2 ("id", "title") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."title"
    FROM _1 ON CONFLICT ("id") DO UPDATE SET "title" = excluded."title" RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_1."_p")::text
        FROM _1 AS _1), '{}'), true) IS NOT NULL, set_config('postern.s7', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: id of the rows $.selectionSet.insertTaskNotes.args.objects.task.data of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTaskNotes.args.objects.task.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertTaskNotes.args.objects.task.data come with
-- $4: the word of alarm 1.
-- _2 public.tasks: permissions.toml:509: true
WITH _10 AS MATERIALIZED (SELECT _8."id"::int4 AS "task_id", _9."author_id" AS "author_id", _9."body" AS "body", _9."_n", _9."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _9("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _8("id", "_n") ON _8."_n" = _9."_p"
    ORDER BY "_n"), _12 AS (INSERT INTO "public"."task_notes" AS _11 ("task_id", "author_id", "body") SELECT _10."task_id", _10."author_id", _10."body"
    FROM _10 RETURNING 1) SELECT set_config('postern.s13', (current_setting('postern.s7', true)::int8 + (SELECT count(*)
        FROM _12))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertTaskNotes.args.objects.task.data.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertTaskNotes.args.objects.task.data.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertTaskNotes.args.objects.task.data.notes.data come with
WITH _17 AS MATERIALIZED (SELECT _14."task_id" AS "task_id", _14."author_id" AS "author_id", _14."body" AS "body", _14."_n"
    FROM unnest($1::int4[], $2::int4[], $3::text[], $4::int8[]) AS _14("task_id", "author_id", "body", "_n") UNION ALL SELECT _15."id"::int4 AS "task_id", _16."author_id" AS "author_id", _16."body" AS "body", _16."_n"
    FROM unnest($5::int4[], $6::text[], $7::int8[]) AS _16("author_id", "body", "_n") JOIN unnest(current_setting('postern.s6', true)::int8[], current_setting('postern.s4', true)::text[]) AS _15("_n", "id") ON _15."_n" = _16."_n"
    ORDER BY "_n"), _19 AS (INSERT INTO "public"."task_notes" AS _18 ("task_id", "author_id", "body") SELECT _17."task_id", _17."author_id", _17."body"
    FROM _17 RETURNING _18."id") SELECT set_config('postern.s20', (current_setting('postern.s13', true)::int8 + (SELECT count(*)
        FROM _19))::text, true) IS NOT NULL, set_config('postern.s21', coalesce((SELECT array_agg(_22."id"::text)::text
        FROM _19 AS _22), '{}'), true) IS NOT NULL;
-- $1: taskId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $2: authorId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $3: body of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [String]
-- $4: the numbers of the rows $.selectionSet.insertTaskNotes.args.objects
-- $5: authorId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $6: body of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [String]
-- $7: the numbers of the rows $.selectionSet.insertTaskNotes.args.objects
SELECT (current_setting('postern.s20', true)::int8), array(SELECT row(_23."body", _24."id" IS NOT NULL, _24."title", array(SELECT row(_25."body")
        FROM "public"."task_notes" AS _25
        WHERE _25."task_id" = _24."id"
        ORDER BY _25."body"))
    FROM (SELECT _23."task_id", _23."body", "k"."place" AS "_place"
      FROM "public"."task_notes" AS _23 JOIN unnest(current_setting('postern.s21', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _23."id" = "k"."k0"::int4) AS _23
    LEFT JOIN "public"."tasks" AS _24 ON _24."id" = _23."task_id"
    ORDER BY _23."_place");
-- _25 public.task_notes: permissions.toml:537: true
-- _23 public.task_notes: permissions.toml:537: true
-- _24 public.tasks: permissions.toml:507: true
