-- role: owner
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."title" AS "title", _0."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _0("id", "title", "_n")), _3 AS (INSERT INTO "public"."tasks" AS _2 ("id", "title") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."title"
    FROM _1 ON CONFLICT ("id") DO UPDATE SET "title" = excluded."title" RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL, set_config('postern.s7', coalesce((SELECT array_agg(_8."id"::text)::text
        FROM _3 AS _8), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: id of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $3: the word of alarm 1.
-- _2 public.tasks: permissions.toml:509: true
WITH _11 AS MATERIALIZED (SELECT _9."id"::int4 AS "task_id", _10."author_id" AS "author_id", _10."body" AS "body", _10."_n", _10."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _10("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _9("id", "_n") ON _9."_n" = _10."_p"
    ORDER BY "_n"), _13 AS (INSERT INTO "public"."task_notes" AS _12 ("task_id", "author_id", "body") SELECT _11."task_id", _11."author_id", _11."body"
    FROM _11 RETURNING 1) SELECT set_config('postern.s14', ((SELECT count(*)
        FROM _13))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertTasks.args.objects.notes.data come with
SELECT (current_setting('postern.s6', true)::int8 + current_setting('postern.s14', true)::int8), array(SELECT row(_15."id", _15."title", array(SELECT row(_16."body")
        FROM "public"."task_notes" AS _16
        WHERE _16."task_id" = _15."id"
        ORDER BY _16."id"))
    FROM (SELECT _15."id", _15."title", "k"."place" AS "_place"
      FROM "public"."tasks" AS _15 JOIN unnest(current_setting('postern.s7', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _15."id" = "k"."k0"::int4) AS _15
    ORDER BY _15."_place");
-- _16 public.task_notes: permissions.toml:537: true
-- _15 public.tasks: permissions.toml:507: true
