-- role: writer
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "spent" = $1::numeric, "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_0."owner_id" = $2::int4
      AND _0."open")
    AND _0."id" = $3::int4 RETURNING _0."id", (CASE WHEN (_0."owner_id" = $2::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _1 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _1 AS _7), '{}'), true) IS NOT NULL;
-- $1: "21" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
WITH _9 AS (UPDATE "public"."tasks" AS _8 SET "place" = _8."place" + $1::int4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_8."project_id")
          AND "p"."owner_id" = $2::int4)) OR _8."assignee_id" = $2::int4)
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _8."project_id" = "k"."k0"::int4)
    AND _8."done" = $3::bool RETURNING 1, (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_8."project_id")
              AND "p"."owner_id" = $2::int4)) OR _8."assignee_id" = $2::int4)
        AND _8."place" < 100) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT;
-- $1: "10" of the document
-- $2: session value user_id, Int
-- $3: "false" of the document
-- $4: the word of alarm 1.
-- _8 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
WITH _11 AS MATERIALIZED (SELECT _10."id" AS "_key0", ($1::text)::text AS "title", _10."project_id", _10."place", _10."assignee_id"
    FROM "public"."tasks" AS _10
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_10."project_id")
          AND "p"."owner_id" = $2::int4)) OR _10."assignee_id" = $2::int4)
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s4', true)::text[]) AS "k"("k0")
      WHERE _10."project_id" = "k"."k0"::int4)
    AND _10."title" = $3::text FOR NO KEY UPDATE OF _10), _13 AS (UPDATE "public"."tasks" AS _12 SET "title" = _11."title"
    FROM _11
    WHERE _12."id" = _11."_key0"
    AND (SELECT (CASE WHEN (bool_and((((EXISTS (SELECT
                    FROM "public"."projects" AS "p"
                    WHERE "p"."id" = (_11."project_id")
                    AND "p"."owner_id" = $2::int4)) OR _11."assignee_id" = $2::int4)
              AND _11."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _11) RETURNING 1) SELECT;
-- $1: "rain" of the document
-- $2: session value user_id, Int
-- $3: "water" of the document
-- $4: the word of alarm 1.
-- _10 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _12 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
SELECT array(SELECT row(_14."id", _14."spent", array(SELECT row(_15."id", _15."title", _15."place")
        FROM "public"."tasks" AS _15
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_15."project_id")
              AND "m"."account_id" = $1::int4)) OR _15."assignee_id" = $1::int4)
        AND _15."project_id" = _14."id"
        ORDER BY _15."id"))
    FROM (SELECT _14."id", _14."spent", "k"."place" AS "_place"
      FROM "public"."projects" AS _14 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _14."id" = "k"."k0"::int4) AS _14
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_14."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _14."_place");
-- $1: session value user_id, Int
-- _15 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _14 public.projects: permissions.toml:467: in_project(id)

-- role: owner
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "spent" = $1::numeric
    WHERE _0."id" = $2::int4 RETURNING _0."id") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _1 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _1 AS _7), '{}'), true) IS NOT NULL;
-- $1: "21" of the document
-- $2: "1" of the document
-- _0 public.projects: permissions.toml:475: true
WITH _9 AS (UPDATE "public"."tasks" AS _8 SET "place" = _8."place" + $1::int4
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _8."project_id" = "k"."k0"::int4)
    AND _8."done" = $2::bool RETURNING 1) SELECT;
-- $1: "10" of the document
-- $2: "false" of the document
-- _8 public.tasks: permissions.toml:509: true
WITH _11 AS (UPDATE "public"."tasks" AS _10 SET "title" = $1::text
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s4', true)::text[]) AS "k"("k0")
      WHERE _10."project_id" = "k"."k0"::int4)
    AND _10."title" = $2::text RETURNING 1) SELECT;
-- $1: "rain" of the document
-- $2: "water" of the document
-- _10 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_12."id", _12."spent", array(SELECT row(_13."id", _13."title", _13."place")
        FROM "public"."tasks" AS _13
        WHERE _13."project_id" = _12."id"
        ORDER BY _13."id"))
    FROM (SELECT _12."id", _12."spent", "k"."place" AS "_place"
      FROM "public"."projects" AS _12 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _12."id" = "k"."k0"::int4) AS _12
    ORDER BY _12."_place");
-- _13 public.tasks: permissions.toml:507: true
-- _12 public.projects: permissions.toml:473: true
