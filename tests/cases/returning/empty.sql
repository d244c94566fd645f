-- role: writer
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "done" = $1::bool
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND _0."id" = $3::int4 RETURNING _0."id", (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_0."project_id")
              AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
        AND _0."place" < 100) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _1 AS _4), '{}'), true) IS NOT NULL;
-- $1: "true" of the document
-- $2: session value user_id, Int
-- $3: "0" of the document
-- $4: the word of alarm 1.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
SELECT (current_setting('postern.s2', true)::int8), array(SELECT row(_5."id", _6."id" IS NOT NULL, _6."id")
    FROM (SELECT _5."id", _5."project_id", _5."assignee_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _5 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _5."id" = "k"."k0"::int4) AS _5
    LEFT JOIN "public"."projects" AS _6 ON _6."id" = _5."project_id"
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_6."id")
          AND "m"."account_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_5."project_id")
          AND "m"."account_id" = $1::int4)) OR _5."assignee_id" = $1::int4)
    ORDER BY _5."_place");
-- $1: session value user_id, Int
-- _5 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _6 public.projects: permissions.toml:467: in_project(id)
WITH _1 AS (DELETE
    FROM "public"."tasks" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $1::int4))
      AND NOT _0."done")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $1::int4)) OR _0."assignee_id" = $1::int4)
    AND _0."id" = $2::int4 RETURNING _0."project_id", _0."assignee_id", _0.*::"public"."tasks" AS "_row") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."_row")::text
        FROM _1 AS _4
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_4."project_id")
              AND "m"."account_id" = $1::int4)) OR _4."assignee_id" = $1::int4)), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "0" of the document
-- _0 public.tasks: permissions.toml:504: own_project(project_id) AND NOT done
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _4 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
SELECT (current_setting('postern.s2', true)::int8), array(SELECT row(_5."id", _6."id" IS NOT NULL, _6."id")
    FROM (SELECT _5."id", _5."project_id", row_number() OVER () AS "_place"
      FROM unnest(current_setting('postern.s3', true)::"public"."tasks"[]) AS _5) AS _5
    LEFT JOIN "public"."projects" AS _6 ON _6."id" = _5."project_id"
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_6."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _5."_place");
-- $1: session value user_id, Int
-- _5 public.tasks: every row
-- _6 public.projects: permissions.toml:467: in_project(id)
