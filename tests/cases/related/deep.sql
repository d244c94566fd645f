-- role: writer
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."accounts" AS _1
    WHERE (_1."id" = $1::int4)
    AND _1."id" = $2::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _1 public.accounts: permissions.toml:451: id = session.user_id
WITH _6 AS (UPDATE "public"."projects" AS _5 SET "spent" = _5."spent" + $1::numeric, "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_5."owner_id" = $2::int4
      AND _5."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_5."id")
          AND "m"."account_id" = $2::int4)))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _5."owner_id" = "k"."k0"::int4)
    AND _5."id" = $3::int4 RETURNING _5."id", (CASE WHEN (_5."owner_id" = $2::int4
        AND _5."spent" <= coalesce(_5."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT set_config('postern.s7', coalesce((SELECT array_agg(_8."id"::text)::text
        FROM _6 AS _8), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- _5 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _5 public.projects: permissions.toml:467: in_project(id)
WITH _10 AS (UPDATE "public"."tasks" AS _9 SET "assignee_id" = $1::int4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_9."project_id")
          AND "p"."owner_id" = $2::int4)) OR _9."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_9."project_id")
          AND "m"."account_id" = $2::int4)) OR _9."assignee_id" = $2::int4)
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s7', true)::text[]) AS "k"("k0")
      WHERE _9."project_id" = "k"."k0"::int4) RETURNING _9."id", (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_9."project_id")
              AND "p"."owner_id" = $2::int4)) OR _9."assignee_id" = $2::int4)
        AND _9."place" < 100) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT set_config('postern.s11', coalesce((SELECT array_agg(_12."id"::text)::text
        FROM _10 AS _12), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: the word of alarm 1.
-- _9 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _9 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
WITH _14 AS (DELETE
    FROM "public"."task_notes" AS _13
    WHERE (_13."author_id" = $1::int4 OR (EXISTS (SELECT
          FROM "public"."tasks" AS "t"
          WHERE "t"."id" = (_13."task_id")
          AND (EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = ("t"."project_id")
              AND "p"."owner_id" = $1::int4)))))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s11', true)::text[]) AS "k"("k0")
      WHERE _13."task_id" = "k"."k0"::int4)
    AND CASE WHEN (_13."author_id" = $1::int4 OR (EXISTS (SELECT
          FROM "public"."tasks" AS "t"
          WHERE "t"."id" = (_13."task_id")
          AND (EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = ("t"."project_id")
              AND "p"."owner_id" = $1::int4)))))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s11', true)::text[]) AS "k"("k0")
      WHERE _13."task_id" = "k"."k0"::int4) THEN _13."body" ~~ (SELECT $2::text) ELSE false END RETURNING 1) SELECT;
-- $1: session value user_id, Int
-- $2: "%t%" of the document
-- _13 public.task_notes: permissions.toml:534: author_id = session.user_id OR own_task(task_id)
SELECT array(SELECT row(_15."id", _15."name", array(SELECT row(_16."spent", array(SELECT row(_17."id", _17."assignee_id", array(SELECT row(_18."body")
                FROM "public"."task_notes" AS _18
                WHERE (_18."author_id" = $1::int4 OR (EXISTS (SELECT
                      FROM "public"."tasks" AS "t"
                      WHERE "t"."id" = (_18."task_id")
                      AND (EXISTS (SELECT
                          FROM "public"."projects" AS "p"
                          WHERE "p"."id" = ("t"."project_id")
                          AND "p"."owner_id" = $1::int4)))))
                AND _18."task_id" = _17."id"))
            FROM "public"."tasks" AS _17
            WHERE ((EXISTS (SELECT
                  FROM "public"."project_members" AS "m"
                  WHERE "m"."project_id" = (_17."project_id")
                  AND "m"."account_id" = $1::int4)) OR _17."assignee_id" = $1::int4)
            AND _17."project_id" = _16."id"
            ORDER BY _17."id"))
        FROM "public"."projects" AS _16
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_16."id")
              AND "m"."account_id" = $1::int4)))
        AND _16."owner_id" = _15."id"
        AND _16."id" = $2::int4))
    FROM (SELECT _15."id", _15."name", "k"."place" AS "_place"
      FROM "public"."accounts" AS _15 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _15."id" = "k"."k0"::int4) AS _15
    ORDER BY _15."_place");
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _18 public.task_notes: permissions.toml:531: author_id = session.user_id OR own_task(task_id)
-- _17 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _16 public.projects: permissions.toml:467: in_project(id)
-- _15 public.accounts: permissions.toml:449: true

-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."accounts" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _1 public.accounts: permissions.toml:456: true
WITH _6 AS (UPDATE "public"."projects" AS _5 SET "spent" = _5."spent" + $1::numeric
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _5."owner_id" = "k"."k0"::int4)
    AND _5."id" = $2::int4 RETURNING _5."id") SELECT set_config('postern.s7', coalesce((SELECT array_agg(_8."id"::text)::text
        FROM _6 AS _8), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- $2: "1" of the document
-- _5 public.projects: permissions.toml:475: true
WITH _10 AS (UPDATE "public"."tasks" AS _9 SET "assignee_id" = $1::int4
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s7', true)::text[]) AS "k"("k0")
      WHERE _9."project_id" = "k"."k0"::int4) RETURNING _9."id") SELECT set_config('postern.s11', coalesce((SELECT array_agg(_12."id"::text)::text
        FROM _10 AS _12), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _9 public.tasks: permissions.toml:509: true
WITH _14 AS (DELETE
    FROM "public"."task_notes" AS _13
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s11', true)::text[]) AS "k"("k0")
      WHERE _13."task_id" = "k"."k0"::int4)
    AND _13."body" ~~ $1::text RETURNING 1) SELECT;
-- $1: "%t%" of the document
-- _13 public.task_notes: permissions.toml:540: true
SELECT array(SELECT row(_15."id", _15."name", array(SELECT row(_16."spent", array(SELECT row(_17."id", _17."assignee_id", array(SELECT row(_18."body")
                FROM "public"."task_notes" AS _18
                WHERE _18."task_id" = _17."id"))
            FROM "public"."tasks" AS _17
            WHERE _17."project_id" = _16."id"
            ORDER BY _17."id"))
        FROM "public"."projects" AS _16
        WHERE _16."owner_id" = _15."id"
        AND _16."id" = $1::int4))
    FROM (SELECT _15."id", _15."name", "k"."place" AS "_place"
      FROM "public"."accounts" AS _15 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _15."id" = "k"."k0"::int4) AS _15
    ORDER BY _15."_place");
-- $1: "1" of the document
-- _18 public.task_notes: permissions.toml:537: true
-- _17 public.tasks: permissions.toml:507: true
-- _16 public.projects: permissions.toml:473: true
-- _15 public.accounts: permissions.toml:454: true
