-- role: writer
WITH _1 AS (DELETE
    FROM "public"."projects" AS _0
    WHERE (_0."owner_id" = $1::int4
      AND NOT _0."open") RETURNING _0."id", _0.*::"public"."projects" AS "_row") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."_row")::text
        FROM _1 AS _4
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_4."id")
              AND "m"."account_id" = $1::int4)))), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- _0 public.projects: permissions.toml:470: owner_id = session.user_id AND NOT open
-- _4 public.projects: permissions.toml:467: in_project(id)
SELECT array(SELECT row(_5."id", _5."name", (SELECT row(count(*))
        FROM "public"."tasks" AS _6
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_6."project_id")
              AND "m"."account_id" = $1::int4)) OR _6."assignee_id" = $1::int4)
        AND _6."project_id" = _5."id"), array(SELECT row(_7."account_id")
        FROM "public"."project_members" AS _7
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_7."project_id")
              AND "m"."account_id" = $1::int4)))
        AND _7."project_id" = _5."id"))
    FROM (SELECT _5."id", _5."name", row_number() OVER () AS "_place"
      FROM unnest(current_setting('postern.s3', true)::"public"."projects"[]) AS _5) AS _5
    ORDER BY _5."_place"), (current_setting('postern.s2', true)::int8);
-- $1: session value user_id, Int
-- _6 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _7 public.project_members: permissions.toml:559: in_project(project_id)
-- _5 public.projects: every row
