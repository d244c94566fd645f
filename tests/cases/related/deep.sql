-- role: writer
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."accounts" AS _1
    WHERE (_1."id" = $1::int4)
    AND _1."id" = $2::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _2 AS _6), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _1 public.accounts: permissions.toml:451: id = session.user_id
WITH _8 AS (UPDATE "public"."projects" AS _7 SET "spent" = _7."spent" + $1::numeric, "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_7."owner_id" = $2::int4
      AND _7."open")
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _7."owner_id" = "k"."k0"::int4)
    AND _7."id" = $3::int4 RETURNING _7."id", (CASE WHEN (_7."owner_id" = $2::int4
        AND _7."spent" <= coalesce(_7."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT set_config('postern.s9', coalesce((SELECT array_agg(_10."id"::text)::text
        FROM _8 AS _10), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- _7 public.projects: permissions.toml:469: owner_id = session.user_id AND open
WITH _12 AS (UPDATE "public"."tasks" AS _11 SET "assignee_id" = $1::int4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_11."project_id")
          AND "p"."owner_id" = $2::int4)) OR _11."assignee_id" = $2::int4)
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s9', true)::text[]) AS "k"("k0")
      WHERE _11."project_id" = "k"."k0"::int4) RETURNING _11."id", (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_11."project_id")
              AND "p"."owner_id" = $2::int4)) OR _11."assignee_id" = $2::int4)
        AND _11."place" < 100) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT set_config('postern.s13', coalesce((SELECT array_agg(_14."id"::text)::text
        FROM _12 AS _14), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: the word of alarm 1.
-- _11 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
WITH _16 AS (DELETE
    FROM "public"."task_notes" AS _15
    WHERE (_15."author_id" = $1::int4 OR (EXISTS (SELECT
          FROM "public"."tasks" AS "t"
          WHERE "t"."id" = (_15."task_id")
          AND (EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = ("t"."project_id")
              AND "p"."owner_id" = $1::int4)))))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s13', true)::text[]) AS "k"("k0")
      WHERE _15."task_id" = "k"."k0"::int4)
    AND _15."body" ~~ $2::text RETURNING 1) SELECT;
-- $1: session value user_id, Int
-- $2: "%t%" of the document
-- _15 public.task_notes: permissions.toml:534: author_id = session.user_id OR own_task(task_id)
SELECT array(SELECT row(_17."id", _17."name", array(SELECT row(_18."spent", array(SELECT row(_19."id", _19."assignee_id", array(SELECT row(_20."body")
                FROM "public"."task_notes" AS _20
                WHERE (_20."author_id" = $1::int4 OR (EXISTS (SELECT
                      FROM "public"."tasks" AS "t"
                      WHERE "t"."id" = (_20."task_id")
                      AND (EXISTS (SELECT
                          FROM "public"."projects" AS "p"
                          WHERE "p"."id" = ("t"."project_id")
                          AND "p"."owner_id" = $1::int4)))))
                AND _20."task_id" = _19."id"))
            FROM "public"."tasks" AS _19
            WHERE ((EXISTS (SELECT
                  FROM "public"."project_members" AS "m"
                  WHERE "m"."project_id" = (_19."project_id")
                  AND "m"."account_id" = $1::int4)) OR _19."assignee_id" = $1::int4)
            AND _19."project_id" = _18."id"
            ORDER BY _19."id"))
        FROM "public"."projects" AS _18
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_18."id")
              AND "m"."account_id" = $1::int4)))
        AND _18."owner_id" = _17."id"
        AND _18."id" = $2::int4))
    FROM (SELECT _17."id", _17."name", "k"."place" AS "_place"
      FROM "public"."accounts" AS _17 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _17."id" = "k"."k0"::int4) AS _17
    ORDER BY _17."_place");
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _20 public.task_notes: permissions.toml:531: author_id = session.user_id OR own_task(task_id)
-- _19 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _18 public.projects: permissions.toml:467: in_project(id)
-- _17 public.accounts: permissions.toml:449: true

-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."accounts" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _2 AS _6), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _1 public.accounts: permissions.toml:456: true
WITH _8 AS (UPDATE "public"."projects" AS _7 SET "spent" = _7."spent" + $1::numeric
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _7."owner_id" = "k"."k0"::int4)
    AND _7."id" = $2::int4 RETURNING _7."id") SELECT set_config('postern.s9', coalesce((SELECT array_agg(_10."id"::text)::text
        FROM _8 AS _10), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- $2: "1" of the document
-- _7 public.projects: permissions.toml:475: true
WITH _12 AS (UPDATE "public"."tasks" AS _11 SET "assignee_id" = $1::int4
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s9', true)::text[]) AS "k"("k0")
      WHERE _11."project_id" = "k"."k0"::int4) RETURNING _11."id") SELECT set_config('postern.s13', coalesce((SELECT array_agg(_14."id"::text)::text
        FROM _12 AS _14), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _11 public.tasks: permissions.toml:509: true
WITH _16 AS (DELETE
    FROM "public"."task_notes" AS _15
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s13', true)::text[]) AS "k"("k0")
      WHERE _15."task_id" = "k"."k0"::int4)
    AND _15."body" ~~ $1::text RETURNING 1) SELECT;
-- $1: "%t%" of the document
-- _15 public.task_notes: permissions.toml:540: true
SELECT array(SELECT row(_17."id", _17."name", array(SELECT row(_18."spent", array(SELECT row(_19."id", _19."assignee_id", array(SELECT row(_20."body")
                FROM "public"."task_notes" AS _20
                WHERE _20."task_id" = _19."id"))
            FROM "public"."tasks" AS _19
            WHERE _19."project_id" = _18."id"
            ORDER BY _19."id"))
        FROM "public"."projects" AS _18
        WHERE _18."owner_id" = _17."id"
        AND _18."id" = $1::int4))
    FROM (SELECT _17."id", _17."name", "k"."place" AS "_place"
      FROM "public"."accounts" AS _17 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _17."id" = "k"."k0"::int4) AS _17
    ORDER BY _17."_place");
-- $1: "1" of the document
-- _20 public.task_notes: permissions.toml:537: true
-- _19 public.tasks: permissions.toml:507: true
-- _18 public.projects: permissions.toml:473: true
-- _17 public.accounts: permissions.toml:454: true
