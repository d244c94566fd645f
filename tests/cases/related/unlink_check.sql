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
        FROM _1 AS _3), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _0 public.projects: permissions.toml:467: in_project(id)
WITH _5 AS MATERIALIZED (SELECT _4."id" AS "_key0", (NULL)::int4 AS "project_id", _4."place", _4."assignee_id"
    FROM "public"."tasks" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_4."project_id")
          AND "p"."owner_id" = $1::int4)) OR _4."assignee_id" = $1::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_4."project_id")
          AND "m"."account_id" = $1::int4)) OR _4."assignee_id" = $1::int4)
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _4."project_id" = "k"."k0"::int4)
    AND _4."id" <> $2::int4 FOR NO KEY UPDATE OF _4), _7 AS (UPDATE "public"."tasks" AS _6 SET "project_id" = _5."project_id"
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
      FROM _5) RETURNING 1) SELECT;
-- $1: session value user_id, Int
-- $2: "3" of the document
-- $3: the word of alarm 1.
-- _4 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _4 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _6 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
SELECT array(SELECT row(_8."id")
    FROM (SELECT _8."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _8 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _8."id" = "k"."k0"::int4) AS _8
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_8."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _8."_place");
-- $1: session value user_id, Int
-- _8 public.projects: permissions.toml:467: in_project(id)
