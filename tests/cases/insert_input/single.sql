-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title") SELECT _0."title"
    FROM unnest($1::text[]) AS _0("title") RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
WITH _1 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _0."title" AS "title", _0."_n"
    FROM unnest($1::text[]) WITH ORDINALITY AS _0("title", "_n")), _6 AS MATERIALIZED (SELECT _4."id" AS "task_id", _5."author_id" AS "author_id", _5."body" AS "body", _5."_n", _5."_p"
    FROM unnest($2::int4[], $3::text[], $4::int8[]) WITH ORDINALITY AS _5("author_id", "body", "_p", "_n") JOIN _1 AS _4 ON _4."_n" = _5."_p"
    ORDER BY "_n"), _3 AS (INSERT INTO "public"."tasks" AS _2 ("id", "title") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."title"
    FROM _1 RETURNING 1), _8 AS (INSERT INTO "public"."task_notes" AS _7 ("task_id", "author_id", "body") SELECT _6."task_id", _6."author_id", _6."body"
    FROM _6 RETURNING 1) SELECT ((SELECT count(*)
      FROM _3) + (SELECT count(*)
      FROM _8));
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $2: authorId of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [Int]
-- $3: body of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [String]
-- $4: the rows that rows of $.selectionSet.insertTasks.args.objects.notes.data come with
