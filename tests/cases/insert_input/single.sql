-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title") SELECT _0."title"
    FROM unnest($1::text[]) AS _0("title") RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
WITH _5 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _4."title" AS "title", _4."_n"
    FROM unnest($1::text[]) WITH ORDINALITY AS _4("title", "_n")), _10 AS MATERIALIZED (SELECT _8."id" AS "task_id", _9."author_id" AS "author_id", _9."body" AS "body", _9."_n", _9."_p"
    FROM unnest($2::int4[], $3::text[], $4::int8[]) WITH ORDINALITY AS _9("author_id", "body", "_p", "_n") JOIN _5 AS _8 ON _8."_n" = _9."_p"
    ORDER BY "_n"), _7 AS (INSERT INTO "public"."tasks" AS _6 ("id", "title") OVERRIDING SYSTEM VALUE SELECT _5."id", _5."title"
    FROM _5 RETURNING 1), _12 AS (INSERT INTO "public"."task_notes" AS _11 ("task_id", "author_id", "body") SELECT _10."task_id", _10."author_id", _10."body"
    FROM _10 RETURNING 1) SELECT ((SELECT count(*)
      FROM _7) + (SELECT count(*)
      FROM _12));
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $2: authorId of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [Int]
-- $3: body of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [String]
-- $4: the rows that rows of $.selectionSet.insertTasks.args.objects.notes.data come with
