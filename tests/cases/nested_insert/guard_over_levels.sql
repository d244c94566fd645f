-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."project_id" AS "project_id", _0."title" AS "title", (0)::int4 AS "place", _0."_n"
    FROM unnest($1::int4[], $2::int4[], $3::text[]) WITH ORDINALITY AS _0("id", "project_id", "title", "_n")), _6 AS MATERIALIZED (SELECT _4."id" AS "task_id", ($4::int4)::int4 AS "author_id", _5."body" AS "body", _5."_n", _5."_p"
    FROM unnest($5::text[], $6::int8[]) WITH ORDINALITY AS _5("body", "_p", "_n") JOIN _1 AS _4 ON _4."_n" = _5."_p"
    ORDER BY "_n"), _9 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and(((EXISTS (SELECT
                  FROM "public"."projects" AS "p"
                  WHERE "p"."id" = (_1."project_id")
                  AND "p"."owner_id" = $4::int4))
              AND _1."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool
      FROM _1)
    AND (SELECT (CASE WHEN (bool_and((_6."author_id" = $4::int4
              AND _6."body" <> 'bad') IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool
      FROM _6) AS "ok"), _3 AS (INSERT INTO "public"."tasks" AS _2 ("id", "project_id", "title", "place") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."project_id", _1."title", _1."place"
    FROM _1
    WHERE (SELECT _9."ok"
      FROM _9) RETURNING 1), _8 AS (INSERT INTO "public"."task_notes" AS _7 ("task_id", "author_id", "body") SELECT _6."task_id", _6."author_id", _6."body"
    FROM _6
    WHERE (SELECT _9."ok"
      FROM _9) RETURNING 1) SELECT ((SELECT count(*)
      FROM _3) + (SELECT count(*)
      FROM _8));
-- $1: id of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $3: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $4: session value user_id, Int
-- $5: body of the rows $.selectionSet.insertTasks.args.objects.notes.data of the request, [String]
-- $6: the rows that rows of $.selectionSet.insertTasks.args.objects.notes.data come with
-- $7: the word of alarm 1.
-- $8: the word of alarm 2.
-- _1 public.tasks: permissions.toml:502: own_project(project_id) AND place < 100
-- _6 public.task_notes: permissions.toml:532: author_id = session.user_id AND body <> 'bad'
