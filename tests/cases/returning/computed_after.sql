-- role: writer
WITH _1 AS (DELETE
    FROM "public"."projects" AS _0
    WHERE (_0."owner_id" = $1::int4
      AND NOT _0."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."id")
          AND "m"."account_id" = $1::int4)))
    AND _0."id" = $2::int4 RETURNING _0."id", _0.*::"public"."projects" AS "_row") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."_row")::text
        FROM _1 AS _3
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_3."id")
              AND "m"."account_id" = $1::int4)))), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "2" of the document
-- _0 public.projects: permissions.toml:470: owner_id = session.user_id AND NOT open
-- _0 public.projects: permissions.toml:467: in_project(id)
-- _3 public.projects: permissions.toml:467: in_project(id)
SELECT array(SELECT row(_4."id", _5."id" IS NOT NULL, _5."name", array(SELECT row(_6."id")
        FROM "public"."tasks" AS _6
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_6."project_id")
              AND "m"."account_id" = $1::int4)) OR _6."assignee_id" = $1::int4)
        AND _6."project_id" = _4."id"))
    FROM (SELECT _4."id", _4."owner_id", row_number() OVER () AS "_place"
      FROM unnest(current_setting('postern.s2', true)::"public"."projects"[]) AS _4) AS _4
    LEFT JOIN "public"."accounts" AS _5 ON _5."id" = _4."owner_id"
    ORDER BY _4."_place");
-- $1: session value user_id, Int
-- _6 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _4 public.projects: every row
-- _5 public.accounts: permissions.toml:449: true
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "place" = $1::int4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND _0."project_id" = $3::int4 RETURNING 1, (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_0."project_id")
              AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
        AND _0."place" < 100) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1));
-- $1: "3" of the document
-- $2: session value user_id, Int
-- $3: "2" of the document
-- $4: the word of alarm 1.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
