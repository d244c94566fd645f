-- role: guard
WITH _1 AS MATERIALIZED (SELECT _0."project_id" AS "project_id", _0."title" AS "title", _0."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _0("project_id", "title", "_n")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."tasks" AS "t"
                WHERE "t"."title" = 'last'
                AND "t"."project_id" = _1."project_id")) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."tasks" AS _2 ("project_id", "title") SELECT _1."project_id", _1."title"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $3: the word of alarm 1.
-- _1 public.tasks: row_by_row.toml:19: NOT EXISTS (SELECT FROM tasks t WHERE t.title = 'last' AND t.project_id = tasks.project_id)
