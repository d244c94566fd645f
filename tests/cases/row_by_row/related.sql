-- role: guard
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "name" = $1::text
    WHERE _0."id" = $2::int4 RETURNING _0."id") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) <= 1) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
  AND (CASE WHEN (((SELECT count(*)
          FROM _1)) = 1) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: "n" of the document
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _0 public.projects: row_by_row.toml:15: true
SELECT;
WITH _6 AS MATERIALIZED (SELECT _4."id"::int4 AS "project_id", _5."title" AS "title", _5."_n"
    FROM unnest($1::text[]) WITH ORDINALITY AS _5("title", "_n") CROSS JOIN unnest(current_setting('postern.s2', true)::text[]) AS _4("id")
    ORDER BY "_n"), _9 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."tasks" AS "t"
                WHERE "t"."title" = 'last'
                AND "t"."project_id" = _6."project_id")) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool
      FROM _6) AS "ok"), _8 AS (INSERT INTO "public"."tasks" AS _7 ("project_id", "title") SELECT _6."project_id", _6."title"
    FROM _6
    WHERE (SELECT _9."ok"
      FROM _9) RETURNING 1) SELECT;
-- $1: title of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [String]
-- $2: the word of alarm 1.
-- _6 public.tasks: row_by_row.toml:19: NOT EXISTS (SELECT FROM tasks t WHERE t.title = 'last' AND t.project_id = tasks.project_id)
SELECT array(SELECT row(_10."name", array(SELECT row(_11."title")
        FROM "public"."tasks" AS _11
        WHERE _11."project_id" = _10."id"
        AND _11."title" = ANY ($1::text[])
        ORDER BY _11."title"))
    FROM (SELECT _10."id", _10."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _10 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _10."id" = "k"."k0"::int4) AS _10
    ORDER BY _10."_place");
-- $1: "{\"earlier\",\"last\"}" of the document
-- _11 public.tasks: row_by_row.toml:18: true
-- _10 public.projects: row_by_row.toml:13: true
