-- role: writer
WITH _0 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_1."id")
          AND "m"."account_id" = $1::int4)))
    AND _1."name" = $2::text
    LIMIT 2) SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _0 AS _3), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _0)) = 1) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: session value user_id, Int
-- $2: "fence" of the document
-- $3: the word of alarm 1.
-- _1 public.projects: permissions.toml:467: in_project(id)
WITH _5 AS MATERIALIZED (SELECT _4."id" AS "_key0", ((current_setting('postern.s2', true)::text[])[1]::int4)::int4 AS "project_id", _4."place", _4."assignee_id"
    FROM "public"."tasks" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_4."project_id")
          AND "p"."owner_id" = $1::int4)) OR _4."assignee_id" = $1::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_4."project_id")
          AND "m"."account_id" = $1::int4)) OR _4."assignee_id" = $1::int4)
    AND _4."id" = $2::int4 FOR NO KEY UPDATE OF _4), _7 AS (UPDATE "public"."tasks" AS _6 SET "project_id" = _5."project_id"
    FROM _5
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_6."project_id")
          AND "p"."owner_id" = $1::int4)) OR _6."assignee_id" = $1::int4)
    AND _6."id" = _5."_key0"
    AND (SELECT (CASE WHEN (bool_and((((EXISTS (SELECT
                    FROM "public"."projects" AS "p"
                    WHERE "p"."id" = (_5."project_id")
                    AND "p"."owner_id" = $1::int4)) OR _5."assignee_id" = $1::int4)
              AND _5."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _5) RETURNING _6."id") SELECT set_config('postern.s8', coalesce((SELECT array_agg(_9."id"::text)::text
        FROM _7 AS _9), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _7)) = 1) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: session value user_id, Int
-- $2: "8" of the document
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _4 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _4 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _6 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
SELECT array(SELECT row(_10."id")
    FROM (SELECT _10."id", _10."project_id", _10."assignee_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _10 JOIN unnest(current_setting('postern.s8', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _10."id" = "k"."k0"::int4) AS _10
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_10."project_id")
          AND "m"."account_id" = $1::int4)) OR _10."assignee_id" = $1::int4)
    ORDER BY _10."_place");
-- $1: session value user_id, Int
-- _10 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
