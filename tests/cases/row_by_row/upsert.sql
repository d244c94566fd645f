-- role: guard
SELECT set_config('postern.s8', 0::int8::text, true) IS NOT NULL, set_config('postern.s0', 0::int8::text, true) IS NOT NULL;
WITH _2 AS MATERIALIZED (SELECT _1."id" AS "id", ($1::int4)::int4 AS "owner_id", _1."name" AS "name", _1."_n"
    FROM unnest($2::int4[], $3::text[]) WITH ORDINALITY AS _1("id", "name", "_n")), _7 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."projects" AS "p"
                WHERE "p"."name" = 'closed'
                AND "p"."owner_id" = $1::int4)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _2) AS "ok"), _4 AS (INSERT INTO "public"."projects" AS _3 ("id", "owner_id", "name") OVERRIDING SYSTEM VALUE SELECT _2."id", _2."owner_id", _2."name"
    FROM _2
    WHERE (SELECT _7."ok"
      FROM _7) ON CONFLICT ("id") DO UPDATE SET "name" = excluded."name" RETURNING _3."id", CASE WHEN _3.xmax = 0 THEN (CASE WHEN (NOT EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."name" = 'closed'
          AND "p"."owner_id" = $1::int4)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool ELSE true END AS "_ok", _3.xmax <> 0 AS "_updated") SELECT set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _4 AS _6), '{}'), true) IS NOT NULL, set_config('postern.s8', ((SELECT count(*)
        FROM _4
        WHERE _4."_updated") + current_setting('postern.s8', true)::int8)::text, true) IS NOT NULL, set_config('postern.s0', ((SELECT count(*)
        FROM _4) + current_setting('postern.s0', true)::int8)::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _4
          WHERE _4."_updated") + current_setting('postern.s8', true)::int8) <= 1) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool
  AND (CASE WHEN (((SELECT count(*)
          FROM _4)) = ((SELECT count(*)
          FROM _2))) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool;
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $3: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- $6: the word of alarm 3.
-- $7: the word of alarm 4.
-- _2 public.projects: row_by_row.toml:14: NOT EXISTS (SELECT FROM projects p WHERE p.name = 'closed' AND p.owner_id = session.user_id)
-- _3 public.projects: row_by_row.toml:15: true
-- _3 public.projects: row_by_row.toml:14: NOT EXISTS (SELECT FROM projects p WHERE p.name = 'closed' AND p.owner_id = session.user_id)
WITH _11 AS MATERIALIZED (SELECT _9."id"::int4 AS "project_id", _10."title" AS "title", _10."_n", _10."_p"
    FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS _10("title", "_p", "_n") JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS _9("id", "_n") ON _9."_n" = _10."_p"
    ORDER BY "_n"), _14 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."tasks" AS "t"
                WHERE "t"."title" = 'last'
                AND "t"."project_id" = _11."project_id")) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _11) AS "ok"), _13 AS (INSERT INTO "public"."tasks" AS _12 ("project_id", "title") SELECT _11."project_id", _11."title"
    FROM _11
    WHERE (SELECT _14."ok"
      FROM _14) RETURNING 1) SELECT set_config('postern.s0', ((SELECT count(*)
        FROM _13) + current_setting('postern.s0', true)::int8)::text, true) IS NOT NULL;
-- $1: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $3: the word of alarm 1.
-- _11 public.tasks: row_by_row.toml:19: NOT EXISTS (SELECT FROM tasks t WHERE t.title = 'last' AND t.project_id = tasks.project_id)
SELECT (current_setting('postern.s0', true)::int8);
