-- role: guard
SELECT set_config('postern.s6', '{}', true) IS NOT NULL, set_config('postern.s0', 0::int8::text, true) IS NOT NULL;
WITH _2 AS MATERIALIZED (SELECT _1."project_id" AS "project_id", _1."title" AS "title", _1."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _1("project_id", "title", "_n")), _5 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."tasks" AS "t"
                WHERE "t"."title" = 'last'
                AND "t"."project_id" = _2."project_id")) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _2) AS "ok"), _4 AS (INSERT INTO "public"."tasks" AS _3 ("project_id", "title") SELECT _2."project_id", _2."title"
    FROM _2
    WHERE (SELECT _5."ok"
      FROM _5) RETURNING _3."id") SELECT set_config('postern.s0', ((SELECT count(*)
        FROM _4) + current_setting('postern.s0', true)::int8)::text, true) IS NOT NULL, set_config('postern.s6', (current_setting('postern.s6', true)::text[] || coalesce((SELECT array_agg(_7."id"::text)::text
          FROM _4 AS _7), '{}')::text[])::text, true) IS NOT NULL;
-- $1: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $2: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $3: the word of alarm 1.
-- _2 public.tasks: row_by_row.toml:19: NOT EXISTS (SELECT FROM tasks t WHERE t.title = 'last' AND t.project_id = tasks.project_id)
SELECT (current_setting('postern.s0', true)::int8), array(SELECT row(_8."title", _8."project_id")
    FROM (SELECT _8."project_id", _8."title", "k"."place" AS "_place"
      FROM "public"."tasks" AS _8 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _8."id" = "k"."k0"::int4) AS _8
    ORDER BY _8."_place");
-- _8 public.tasks: row_by_row.toml:18: true
