-- role: limited
WITH _1 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _0."project_id" AS "project_id", _0."title" AS "title", _0."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _0("project_id", "title", "_n")), _6 AS MATERIALIZED (SELECT _4."id" AS "task_id", _5."author_id" AS "author_id", _5."body" AS "body", _5."_n", _5."_p"
    FROM unnest($3::int4[], $4::text[], $5::int8[]) WITH ORDINALITY AS _5("author_id", "body", "_p", "_n") JOIN _1 AS _4 ON _4."_n" = _5."_p"
    ORDER BY "_n"), _3 AS (INSERT INTO "public"."tasks" AS _2 ("id", "project_id", "title") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."project_id", _1."title"
    FROM _1 RETURNING 1), _8 AS (INSERT INTO "public"."task_notes" AS _7 ("task_id", "author_id", "body") SELECT _6."task_id", _6."author_id", _6."body"
    FROM _6 RETURNING 1) SELECT ((SELECT count(*)
      FROM _3) + (SELECT count(*)
      FROM _8));
-- $1: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $3: authorId of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [Int]
-- $4: body of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [String]
-- $5: the rows that rows of $.selectionSet.insertTasks.args.objects.notes.data come with
