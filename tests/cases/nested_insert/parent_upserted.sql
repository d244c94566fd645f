-- role: owner
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."title" AS "title", _0."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _0("id", "title", "_n")), _3 AS (INSERT INTO "public"."tasks" AS _2 ("id", "title") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."title"
    FROM _1 ON CONFLICT ("id") DO UPDATE SET "title" = excluded."title" RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: id of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $3: the word of alarm 1.
-- _2 public.tasks: permissions.toml:509: true
WITH _9 AS MATERIALIZED (SELECT _7."id"::int4 AS "task_id", _8."author_id" AS "author_id", _8."body" AS "body", _8."_n", _8."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _8("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _7("id", "_n") ON _7."_n" = _8."_p"
    ORDER BY "_n"), _11 AS (INSERT INTO "public"."task_notes" AS _10 ("task_id", "author_id", "body") SELECT _9."task_id", _9."author_id", _9."body"
    FROM _9 RETURNING 1) SELECT set_config('postern.s12', ((SELECT count(*)
        FROM _11))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertTasks.args.objects.notes.data come with
SELECT (current_setting('postern.s6', true)::int8 + current_setting('postern.s12', true)::int8), array(SELECT row(_13."id", _13."title", array(SELECT row(_14."body")
        FROM "public"."task_notes" AS _14
        WHERE _14."task_id" = _13."id"
        ORDER BY _14."id"))
    FROM (SELECT _13."id", _13."title", "k"."place" AS "_place"
      FROM "public"."tasks" AS _13 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _13."id" = "k"."k0"::int4) AS _13
    ORDER BY _13."_place");
-- _14 public.task_notes: permissions.toml:537: true
-- _13 public.tasks: permissions.toml:507: true
