-- role: writer
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "spent" = $1::numeric, "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_0."owner_id" = $2::int4
      AND _0."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."id")
          AND "m"."account_id" = $2::int4)))
    AND _0."id" = $3::int4 RETURNING _0."id", (CASE WHEN (_0."owner_id" = $2::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL;
-- $1: "21" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _0 public.projects: permissions.toml:467: in_project(id)
WITH _5 AS (UPDATE "public"."tasks" AS _4 SET "place" = _4."place" + $1::int4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_4."project_id")
          AND "p"."owner_id" = $2::int4)) OR _4."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_4."project_id")
          AND "m"."account_id" = $2::int4)) OR _4."assignee_id" = $2::int4)
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _4."project_id" = "k"."k0"::int4)
    AND _4."done" = $3::bool RETURNING 1, (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_4."project_id")
              AND "p"."owner_id" = $2::int4)) OR _4."assignee_id" = $2::int4)
        AND _4."place" < 100) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT;
-- $1: "10" of the document
-- $2: session value user_id, Int
-- $3: "false" of the document
-- $4: the word of alarm 1.
-- _4 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _4 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
WITH _7 AS MATERIALIZED (SELECT _6."id" AS "_key0", ($1::text)::text AS "title", _6."project_id", _6."place", _6."assignee_id"
    FROM "public"."tasks" AS _6
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_6."project_id")
          AND "p"."owner_id" = $2::int4)) OR _6."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_6."project_id")
          AND "m"."account_id" = $2::int4)) OR _6."assignee_id" = $2::int4)
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _6."project_id" = "k"."k0"::int4)
    AND _6."title" = $3::text FOR NO KEY UPDATE OF _6), _9 AS (UPDATE "public"."tasks" AS _8 SET "title" = _7."title"
    FROM _7
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_8."project_id")
          AND "p"."owner_id" = $2::int4)) OR _8."assignee_id" = $2::int4)
    AND _8."id" = _7."_key0"
    AND (SELECT (CASE WHEN (bool_and((((EXISTS (SELECT
                    FROM "public"."projects" AS "p"
                    WHERE "p"."id" = (_7."project_id")
                    AND "p"."owner_id" = $2::int4)) OR _7."assignee_id" = $2::int4)
              AND _7."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _7) RETURNING 1) SELECT;
-- $1: "rain" of the document
-- $2: session value user_id, Int
-- $3: "water" of the document
-- $4: the word of alarm 1.
-- _6 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _6 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _8 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
SELECT array(SELECT row(_10."id", _10."spent", array(SELECT row(_11."id", _11."title", _11."place")
        FROM "public"."tasks" AS _11
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_11."project_id")
              AND "m"."account_id" = $1::int4)) OR _11."assignee_id" = $1::int4)
        AND _11."project_id" = _10."id"
        ORDER BY _11."id"))
    FROM (SELECT _10."id", _10."spent", "k"."place" AS "_place"
      FROM "public"."projects" AS _10 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _10."id" = "k"."k0"::int4) AS _10
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_10."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _10."_place");
-- $1: session value user_id, Int
-- _11 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _10 public.projects: permissions.toml:467: in_project(id)

-- role: owner
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "spent" = $1::numeric
    WHERE _0."id" = $2::int4 RETURNING _0."id") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL;
-- $1: "21" of the document
-- $2: "1" of the document
-- _0 public.projects: permissions.toml:475: true
WITH _5 AS (UPDATE "public"."tasks" AS _4 SET "place" = _4."place" + $1::int4
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _4."project_id" = "k"."k0"::int4)
    AND _4."done" = $2::bool RETURNING 1) SELECT;
-- $1: "10" of the document
-- $2: "false" of the document
-- _4 public.tasks: permissions.toml:509: true
WITH _7 AS (UPDATE "public"."tasks" AS _6 SET "title" = $1::text
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _6."project_id" = "k"."k0"::int4)
    AND _6."title" = $2::text RETURNING 1) SELECT;
-- $1: "rain" of the document
-- $2: "water" of the document
-- _6 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_8."id", _8."spent", array(SELECT row(_9."id", _9."title", _9."place")
        FROM "public"."tasks" AS _9
        WHERE _9."project_id" = _8."id"
        ORDER BY _9."id"))
    FROM (SELECT _8."id", _8."spent", "k"."place" AS "_place"
      FROM "public"."projects" AS _8 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _8."id" = "k"."k0"::int4) AS _8
    ORDER BY _8."_place");
-- _9 public.tasks: permissions.toml:507: true
-- _8 public.projects: permissions.toml:473: true
