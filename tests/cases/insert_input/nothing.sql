-- role: owner
WITH _3 AS (INSERT INTO "public"."tasks" AS _2 ("title") SELECT _0."title"
    FROM unnest($1::text[]) AS _0("title") RETURNING _2."id") SELECT set_config('postern.s4', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _3 AS _6), '{}'), true) IS NOT NULL;
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
SELECT (current_setting('postern.s4', true)::int8), array(SELECT row(_7."title", _7."project_id", array(SELECT row(_8."body")
        FROM "public"."task_notes" AS _8
        WHERE _8."task_id" = _7."id"))
    FROM (SELECT _7."id", _7."project_id", _7."title", "k"."place" AS "_place"
      FROM "public"."tasks" AS _7 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _7."id" = "k"."k0"::int4) AS _7
    ORDER BY _7."_place");
-- _8 public.task_notes: permissions.toml:537: true
-- _7 public.tasks: permissions.toml:507: true
WITH _3 AS (INSERT INTO "public"."task_notes" AS _2 ("task_id", "author_id", "body") SELECT _0."task_id", _0."author_id", _0."body"
    FROM unnest($1::int4[], $2::int4[], $3::text[]) AS _0("task_id", "author_id", "body") RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: taskId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $2: authorId of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [Int]
-- $3: body of the rows $.selectionSet.insertTaskNotes.args.objects of the request, [String]
