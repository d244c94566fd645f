-- role: guard
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "name" = $1::text
    WHERE _0."id" = $2::int4 RETURNING _0."id") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) <= 1) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
  AND (CASE WHEN (((SELECT count(*)
          FROM _1)) = 1) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: "n" of the document
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _0 public.projects: row_by_row.toml:15: true
SELECT set_config('postern.s5', 0::int8::text, true) IS NOT NULL;
WITH _8 AS MATERIALIZED (SELECT _6."id"::int4 AS "project_id", _7."title" AS "title", _7."_n"
    FROM unnest($1::text[]) WITH ORDINALITY AS _7("title", "_n") CROSS JOIN unnest(current_setting('postern.s2', true)::text[]) AS _6("id")
    ORDER BY "_n"), _11 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."tasks" AS "t"
                WHERE "t"."title" = 'last'
                AND "t"."project_id" = _8."project_id")) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool
      FROM _8) AS "ok"), _10 AS (INSERT INTO "public"."tasks" AS _9 ("project_id", "title") SELECT _8."project_id", _8."title"
    FROM _8
    WHERE (SELECT _11."ok"
      FROM _11) RETURNING 1) SELECT set_config('postern.s5', ((SELECT count(*)
        FROM _10) + current_setting('postern.s5', true)::int8)::text, true) IS NOT NULL;
-- $1: title of the rows $.selectionSet.updateProjects.args._related.tasks.insert of the request, [String]
-- $2: the word of alarm 1.
-- _8 public.tasks: row_by_row.toml:19: NOT EXISTS (SELECT FROM tasks t WHERE t.title = 'last' AND t.project_id = tasks.project_id)
SELECT (current_setting('postern.s4', true)::int8 + current_setting('postern.s5', true)::int8);
