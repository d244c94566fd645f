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
WITH _10 AS MATERIALIZED (SELECT _8."id"::int4 AS "task_id", _9."author_id" AS "author_id", _9."body" AS "body", _9."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _9("author_id", "body", "_n") JOIN unnest(current_setting('postern.s6', true)::int8[], current_setting('postern.s4', true)::text[]) AS _8("_n", "id") ON _8."_n" = _9."_n"
    ORDER BY "_n"), _12 AS (INSERT INTO "public"."task_notes" AS _11 ("task_id", "author_id", "body") SELECT _10."task_id", _10."author_id", _10."body"
    FROM _10 RETURNING _11."id") SELECT set_config('postern.s13', (current_setting('postern.s7', true)::int8 + (SELECT count(*)
        FROM _12))::text, true) IS NOT NULL, set_config('postern.s14', coalesce((SELECT array_agg(_15."id"::text)::text
        FROM _12 AS _15), '{}'), true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $2: body of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [String]
SELECT (current_setting('postern.s13', true)::int8), array(SELECT row(_16."body", _17."id" IS NOT NULL, _17."id", _17."title")
    FROM (SELECT _16."task_id", _16."body", "k"."place" AS "_place"
      FROM "public"."task_notes" AS _16 JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _16."id" = "k"."k0"::int4) AS _16
    LEFT JOIN "public"."tasks" AS _17 ON _17."id" = _16."task_id"
    ORDER BY _16."_place");
-- _16 public.task_notes: permissions.toml:537: true
-- _17 public.tasks: permissions.toml:507: true
