-- role: guard
SELECT set_config('postern.s7', '{}', true) IS NOT NULL;
WITH _1 AS MATERIALIZED (SELECT $1::int4 AS "id", ($2::int4)::int4 AS "owner_id", $3::text AS "name", 1::int8 AS "_n"), _6 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."projects" AS "p"
                WHERE "p"."name" = 'closed'
                AND "p"."owner_id" = $2::int4)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."projects" AS _2 ("id", "owner_id", "name") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."owner_id", _1."name"
    FROM _1
    WHERE (SELECT _6."ok"
      FROM _6) RETURNING _2."id", (CASE WHEN (NOT EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."name" = 'closed'
          AND "p"."owner_id" = $2::int4)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_ok") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s7', (current_setting('postern.s7', true)::text[] || coalesce((SELECT array_agg(_8."id"::text)::text
          FROM _3 AS _8), '{}')::text[])::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: id of the row $.selectionSet.insertProjectsOne.args.object of the request, Int
-- $2: session value user_id, Int
-- $3: name of the row $.selectionSet.insertProjectsOne.args.object of the request, String
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- $6: the word of alarm 3.
-- _1 public.projects: row_by_row.toml:14: NOT EXISTS (SELECT FROM projects p WHERE p.name = 'closed' AND p.owner_id = session.user_id)
-- _2 public.projects: row_by_row.toml:14: NOT EXISTS (SELECT FROM projects p WHERE p.name = 'closed' AND p.owner_id = session.user_id)
WITH _11 AS MATERIALIZED (SELECT _9."id"::int4 AS "project_id", _10."title" AS "title", _10."_n", _10."_p"
    FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS _10("title", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _9("id", "_n") ON _9."_n" = _10."_p"
    ORDER BY "_n"), _16 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((NOT EXISTS (SELECT
                FROM "public"."tasks" AS "t"
                WHERE "t"."title" = 'last'
                AND "t"."project_id" = _11."project_id")) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _11) AS "ok"), _13 AS (INSERT INTO "public"."tasks" AS _12 ("project_id", "title") SELECT _11."project_id", _11."title"
    FROM _11
    WHERE (SELECT _16."ok"
      FROM _16) RETURNING _12."id") SELECT set_config('postern.s14', coalesce((SELECT array_agg(_15."id"::text)::text
        FROM _13 AS _15), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _13)) = ((SELECT count(*)
          FROM _11))) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: title of the rows $.selectionSet.insertProjectsOne.args.object.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjectsOne.args.object.tasks.data come with
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _11 public.tasks: row_by_row.toml:19: NOT EXISTS (SELECT FROM tasks t WHERE t.title = 'last' AND t.project_id = tasks.project_id)
WITH _19 AS MATERIALIZED (SELECT _17."id"::int4 AS "task_id", ($1::int4)::int4 AS "author_id", _18."body" AS "body", _18."_n", _18."_p"
    FROM unnest($2::text[], $3::int8[]) WITH ORDINALITY AS _18("body", "_p", "_n") JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS _17("id", "_n") ON _17."_n" = _18."_p"
    ORDER BY "_n"), _21 AS (INSERT INTO "public"."task_notes" AS _20 ("task_id", "author_id", "body") SELECT _19."task_id", _19."author_id", _19."body"
    FROM _19 RETURNING 1) SELECT;
-- $1: session value user_id, Int
-- $2: body of the rows $.selectionSet.insertProjectsOne.args.object.tasks.data.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjectsOne.args.object.tasks.data.notes.data come with
SELECT array(SELECT row(_22."id")
    FROM (SELECT _22."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _22 JOIN unnest(current_setting('postern.s7', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _22."id" = "k"."k0"::int4) AS _22
    ORDER BY _22."_place");
-- _22 public.projects: row_by_row.toml:13: true
