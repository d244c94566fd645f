-- role: guard
SELECT set_config('postern.s16', '{}', true) IS NOT NULL, set_config('postern.s0', 0::int8::text, true) IS NOT NULL;
WITH _2 AS MATERIALIZED (SELECT ($1::int4)::int4 AS "owner_id", _1."name" AS "name", _1."_n", _1."_p"
    FROM unnest($2::text[], $3::int8[]) WITH ORDINALITY AS _1("name", "_p", "_n")), _8 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."projects" AS "p"
                WHERE "p"."name" = 'closed'
                AND "p"."owner_id" = $1::int4)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _2) AS "ok"), _4 AS (INSERT INTO "public"."projects" AS _3 ("owner_id", "name") SELECT _2."owner_id", _2."name"
    FROM _2
    WHERE (SELECT _8."ok"
      FROM _8) RETURNING _3."id", (CASE WHEN (NOT EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."name" = 'closed'
          AND "p"."owner_id" = $1::int4)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_ok") SELECT set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _4 AS _6), '{}'), true) IS NOT NULL, set_config('postern.s7', coalesce((SELECT array_agg(_2."_p")::text
        FROM _2 AS _2), '{}'), true) IS NOT NULL, set_config('postern.s0', ((SELECT count(*)
        FROM _4) + current_setting('postern.s0', true)::int8)::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _4)) = ((SELECT count(*)
          FROM _2))) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: session value user_id, Int
-- $2: name of the rows $.selectionSet.insertTasks.args.objects.project.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertTasks.args.objects.project.data come with
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- $6: the word of alarm 3.
-- _2 public.projects: row_by_row.toml:14: NOT EXISTS (SELECT FROM projects p WHERE p.name = 'closed' AND p.owner_id = session.user_id)
-- _3 public.projects: row_by_row.toml:14: NOT EXISTS (SELECT FROM projects p WHERE p.name = 'closed' AND p.owner_id = session.user_id)
WITH _12 AS MATERIALIZED (SELECT _9."id"::int4 AS "project_id", _10."title" AS "title", _10."_n"
    FROM unnest($1::text[], $2::int8[]) AS _10("title", "_n") JOIN unnest(current_setting('postern.s7', true)::int8[], current_setting('postern.s5', true)::text[]) AS _9("_n", "id") ON _9."_n" = _10."_n" UNION ALL SELECT _11."project_id" AS "project_id", _11."title" AS "title", _11."_n"
    FROM unnest($3::int4[], $4::text[], $5::int8[]) AS _11("project_id", "title", "_n")
    ORDER BY "_n"), _15 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."tasks" AS "t"
                WHERE "t"."title" = 'last'
                AND "t"."project_id" = _12."project_id")) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool
      FROM _12) AS "ok"), _14 AS (INSERT INTO "public"."tasks" AS _13 ("project_id", "title") SELECT _12."project_id", _12."title"
    FROM _12
    WHERE (SELECT _15."ok"
      FROM _15) RETURNING _13."id") SELECT set_config('postern.s0', ((SELECT count(*)
        FROM _14) + current_setting('postern.s0', true)::int8)::text, true) IS NOT NULL, set_config('postern.s16', (current_setting('postern.s16', true)::text[] || coalesce((SELECT array_agg(_17."id"::text)::text
          FROM _14 AS _17), '{}')::text[])::text, true) IS NOT NULL;
-- $1: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $2: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $3: projectId of the rows $.selectionSet.insertTasks.args.objects of the request, [Int]
-- $4: title of the rows $.selectionSet.insertTasks.args.objects of the request, [String]
-- $5: the numbers of the rows $.selectionSet.insertTasks.args.objects
-- $6: the word of alarm 1.
-- _12 public.tasks: row_by_row.toml:19: NOT EXISTS (SELECT FROM tasks t WHERE t.title = 'last' AND t.project_id = tasks.project_id)
SELECT (current_setting('postern.s0', true)::int8), array(SELECT row(_18."title", _19."id" IS NOT NULL, _19."name")
    FROM (SELECT _18."project_id", _18."title", "k"."place" AS "_place"
      FROM "public"."tasks" AS _18 JOIN unnest(current_setting('postern.s16', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _18."id" = "k"."k0"::int4) AS _18
    LEFT JOIN "public"."projects" AS _19 ON _19."id" = _18."project_id"
    ORDER BY _18."_place");
-- _18 public.tasks: row_by_row.toml:18: true
-- _19 public.projects: row_by_row.toml:13: true
