-- role: writer
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_0."owner_id" = $1::int4
      AND _0."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."id")
          AND "m"."account_id" = $1::int4)))
    AND _0."id" = $2::int4 RETURNING _0."id", (CASE WHEN (_0."owner_id" = $1::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) = 1) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _0 public.projects: permissions.toml:467: in_project(id)
WITH _8 AS MATERIALIZED (SELECT _4."id"::int4 AS "project_id", _5."title" AS "title", (0)::int4 AS "place", _5."_n"
    FROM unnest($1::text[], $2::int8[]) AS _5("title", "_n") CROSS JOIN unnest(current_setting('postern.s2', true)::text[]) AS _4("id") UNION ALL SELECT _6."id"::int4 AS "project_id", _7."title" AS "title", _7."place" AS "place", _7."_n"
    FROM unnest($3::text[], $4::int4[], $5::int8[]) AS _7("title", "place", "_n") CROSS JOIN unnest(current_setting('postern.s2', true)::text[]) AS _6("id")
    ORDER BY "_n"), _13 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and(((EXISTS (SELECT
                  FROM "public"."projects" AS "p"
                  WHERE "p"."id" = (_8."project_id")
                  AND "p"."owner_id" = $6::int4))
              AND _8."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool
      FROM _8) AS "ok"), _10 AS (INSERT INTO "public"."tasks" AS _9 ("project_id", "title", "place") SELECT _8."project_id", _8."title", _8."place"
    FROM _8
    WHERE (SELECT _13."ok"
      FROM _13) RETURNING _9."id") SELECT set_config('postern.s11', coalesce((SELECT array_agg(_12."id"::text)::text
        FROM _10 AS _12), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _10)) = ((SELECT count(*)
          FROM _8))) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool;
-- $1: title of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [String]
-- $2: the numbers of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert
-- $3: title of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [String]
-- $4: place of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [Int]
-- $5: the numbers of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert
-- $6: session value user_id, Int
-- $7: the word of alarm 1.
-- $8: the word of alarm 2.
-- _8 public.tasks: permissions.toml:502: own_project(project_id) AND place < 100
WITH _16 AS MATERIALIZED (SELECT _14."id"::int4 AS "task_id", ($1::int4)::int4 AS "author_id", _15."body" AS "body", _15."_n", _15."_p"
    FROM unnest($2::text[], $3::int8[]) WITH ORDINALITY AS _15("body", "_p", "_n") JOIN unnest(current_setting('postern.s11', true)::text[]) WITH ORDINALITY AS _14("id", "_n") ON _14."_n" = _15."_p"
    ORDER BY "_n"), _19 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_16."author_id" = $1::int4
              AND _16."body" <> 'bad') IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _16) AS "ok"), _18 AS (INSERT INTO "public"."task_notes" AS _17 ("task_id", "author_id", "body") SELECT _16."task_id", _16."author_id", _16."body"
    FROM _16
    WHERE (SELECT _19."ok"
      FROM _19) RETURNING 1) SELECT;
-- $1: session value user_id, Int
-- $2: body of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.updateProjectsByPk.args._related.tasks.insert.notes.data come with
-- $4: the word of alarm 1.
-- _16 public.task_notes: permissions.toml:532: author_id = session.user_id AND body <> 'bad'
SELECT array(SELECT row(_20."id", array(SELECT row(_21."title", _21."place", array(SELECT row(_22."body")
            FROM "public"."task_notes" AS _22
            WHERE (_22."author_id" = $1::int4 OR (EXISTS (SELECT
                  FROM "public"."tasks" AS "t"
                  WHERE "t"."id" = (_22."task_id")
                  AND (EXISTS (SELECT
                      FROM "public"."projects" AS "p"
                      WHERE "p"."id" = ("t"."project_id")
                      AND "p"."owner_id" = $1::int4)))))
            AND _22."task_id" = _21."id"))
        FROM "public"."tasks" AS _21
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_21."project_id")
              AND "m"."account_id" = $1::int4)) OR _21."assignee_id" = $1::int4)
        AND _21."project_id" = _20."id"
        AND _21."id" >= $2::int4
        ORDER BY _21."id"))
    FROM (SELECT _20."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _20 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _20."id" = "k"."k0"::int4) AS _20
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_20."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _20."_place");
-- $1: session value user_id, Int
-- $2: "1000" of the document
-- _22 public.task_notes: permissions.toml:531: author_id = session.user_id OR own_task(task_id)
-- _21 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _20 public.projects: permissions.toml:467: in_project(id)
