-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", (NULL)::int4 AS "project_id", _0."place", _0."assignee_id"
    FROM "public"."tasks" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $1::int4)) OR _0."assignee_id" = $1::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $1::int4)) OR _0."assignee_id" = $1::int4)
    AND _0."id" = $2::int4 FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."tasks" AS _2 SET "project_id" = _1."project_id"
    FROM _1
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_2."project_id")
          AND "p"."owner_id" = $1::int4)) OR _2."assignee_id" = $1::int4)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((((EXISTS (SELECT
                    FROM "public"."projects" AS "p"
                    WHERE "p"."id" = (_1."project_id")
                    AND "p"."owner_id" = $1::int4)) OR _1."assignee_id" = $1::int4)
              AND _1."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _1) RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _2 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
SELECT array(SELECT row(_6."id", _6."project_id")
    FROM (SELECT _6."id", _6."project_id", _6."assignee_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _6 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _6."id" = "k"."k0"::int4) AS _6
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_6."project_id")
          AND "m"."account_id" = $1::int4)) OR _6."assignee_id" = $1::int4)
    ORDER BY _6."_place");
-- $1: session value user_id, Int
-- _6 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id

-- role: owner
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "project_id" = NULL
    WHERE _0."id" = $1::int4 RETURNING _0."id") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _0 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_4."id", _4."project_id")
    FROM (SELECT _4."id", _4."project_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _4 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _4."id" = "k"."k0"::int4) AS _4
    ORDER BY _4."_place");
-- _4 public.tasks: permissions.toml:507: true
