-- role: writer
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_0."owner_id" = $1::int4
      AND _0."open")
    AND _0."id" = $2::int4 RETURNING _0."id", (CASE WHEN (_0."owner_id" = $1::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _1 AS _5), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) = 1) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
WITH _10 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _6."id"::int4 AS "project_id", _7."title" AS "title", (0)::int4 AS "place", _7."_n"
    FROM unnest($1::text[], $2::int8[]) AS _7("title", "_n") CROSS JOIN unnest(current_setting('postern.s2', true)::text[]) AS _6("id") UNION ALL SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", _8."id"::int4 AS "project_id", _9."title" AS "title", _9."place" AS "place", _9."_n"
    FROM unnest($3::text[], $4::int4[], $5::int8[]) AS _9("title", "place", "_n") CROSS JOIN unnest(current_setting('postern.s2', true)::text[]) AS _8("id")
    ORDER BY "_n"), _15 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and(((EXISTS (SELECT
                  FROM "public"."projects" AS "p"
                  WHERE "p"."id" = (_10."project_id")
                  AND "p"."owner_id" = $6::int4))
              AND _10."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool
      FROM _10) AS "ok"), _12 AS (INSERT INTO "public"."tasks" AS _11 ("id", "project_id", "title", "place") OVERRIDING SYSTEM VALUE SELECT _10."id", _10."project_id", _10."title", _10."place"
    FROM _10
    WHERE (SELECT _15."ok"
      FROM _15) RETURNING _11."id") SELECT set_config('postern.s13', coalesce((SELECT array_agg(_14."id"::text)::text
        FROM _12 AS _14), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _12)) = ((SELECT count(*)
          FROM _10))) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool;
-- $1: title of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [String]
-- $2: the numbers of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert
-- $3: title of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [String]
-- $4: place of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [Int]
-- $5: the numbers of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert
-- $6: session value user_id, Int
-- $7: the word of alarm 1.
-- $8: the word of alarm 2.
-- _10 public.tasks: permissions.toml:502: own_project(project_id) AND place < 100
WITH _18 AS MATERIALIZED (SELECT _16."id"::int4 AS "task_id", ($1::int4)::int4 AS "author_id", _17."body" AS "body", _17."_n", _17."_p"
    FROM unnest($2::text[], $3::int8[]) WITH ORDINALITY AS _17("body", "_p", "_n") JOIN unnest(current_setting('postern.s13', true)::text[]) WITH ORDINALITY AS _16("id", "_n") ON _16."_n" = _17."_p"
    ORDER BY "_n"), _21 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_18."author_id" = $1::int4
              AND _18."body" <> 'bad') IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _18) AS "ok"), _20 AS (INSERT INTO "public"."task_notes" AS _19 ("task_id", "author_id", "body") SELECT _18."task_id", _18."author_id", _18."body"
    FROM _18
    WHERE (SELECT _21."ok"
      FROM _21) RETURNING 1) SELECT;
-- $1: session value user_id, Int
-- $2: body of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.updateProjectsByPk.args._related.tasks.insert.notes.data come with
-- $4: the word of alarm 1.
-- _18 public.task_notes: permissions.toml:532: author_id = session.user_id AND body <> 'bad'
SELECT array(SELECT row(_22."id", array(SELECT row(_23."title", _23."place", array(SELECT row(_24."body")
            FROM "public"."task_notes" AS _24
            WHERE (_24."author_id" = $1::int4 OR (EXISTS (SELECT
                  FROM "public"."tasks" AS "t"
                  WHERE "t"."id" = (_24."task_id")
                  AND (EXISTS (SELECT
                      FROM "public"."projects" AS "p"
                      WHERE "p"."id" = ("t"."project_id")
                      AND "p"."owner_id" = $1::int4)))))
            AND _24."task_id" = _23."id"))
        FROM "public"."tasks" AS _23
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_23."project_id")
              AND "m"."account_id" = $1::int4)) OR _23."assignee_id" = $1::int4)
        AND _23."project_id" = _22."id"
        AND _23."id" >= $2::int4
        ORDER BY _23."id"))
    FROM (SELECT _22."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _22 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _22."id" = "k"."k0"::int4) AS _22
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_22."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _22."_place");
-- $1: session value user_id, Int
-- $2: "1000" of the document
-- _24 public.task_notes: permissions.toml:531: author_id = session.user_id OR own_task(task_id)
-- _23 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _22 public.projects: permissions.toml:467: in_project(id)
