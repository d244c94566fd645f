-- role: writer
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
    AND _0."id" = $2::int4 RETURNING _0."project_id", _0."assignee_id", _0.*::"public"."tasks" AS "_row") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."_row")::text
        FROM _1 AS _3
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_3."project_id")
              AND "m"."account_id" = $1::int4)) OR _3."assignee_id" = $1::int4)), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _0 public.tasks: permissions.toml:504: own_project(project_id) AND NOT done
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _3 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
SELECT array(SELECT row(_4."id", _4."title", _5."id" IS NOT NULL, _5."id", _5."name", array(SELECT row(_6."id")
        FROM "public"."task_notes" AS _6
        WHERE (_6."author_id" = $1::int4 OR (EXISTS (SELECT
              FROM "public"."tasks" AS "t"
              WHERE "t"."id" = (_6."task_id")
              AND (EXISTS (SELECT
                  FROM "public"."projects" AS "p"
                  WHERE "p"."id" = ("t"."project_id")
                  AND "p"."owner_id" = $1::int4)))))
        AND _6."task_id" = _4."id"), _4."project_id")
    FROM (SELECT _4."id", _4."project_id", _4."title", row_number() OVER () AS "_place"
      FROM unnest(current_setting('postern.s2', true)::"public"."tasks"[]) AS _4) AS _4
    LEFT JOIN "public"."projects" AS _5 ON _5."id" = _4."project_id"
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_5."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _4."_place");
-- $1: session value user_id, Int
-- _6 public.task_notes: permissions.toml:531: author_id = session.user_id OR own_task(task_id)
-- _4 public.tasks: every row
-- _5 public.projects: permissions.toml:467: in_project(id)

-- role: owner
WITH _1 AS (DELETE
    FROM "public"."tasks" AS _0
    WHERE _0."id" = $1::int4 RETURNING _0.*::"public"."tasks" AS "_row") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."_row")::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _0 public.tasks: permissions.toml:510: true
-- _3 public.tasks: permissions.toml:507: true
SELECT array(SELECT row(_4."id", _4."title", _5."id" IS NOT NULL, _5."id", _5."name", array(SELECT row(_6."id")
        FROM "public"."task_notes" AS _6
        WHERE _6."task_id" = _4."id"), _4."project_id")
    FROM (SELECT _4."id", _4."project_id", _4."title", row_number() OVER () AS "_place"
      FROM unnest(current_setting('postern.s2', true)::"public"."tasks"[]) AS _4) AS _4
    LEFT JOIN "public"."projects" AS _5 ON _5."id" = _4."project_id"
    ORDER BY _4."_place");
-- _6 public.task_notes: permissions.toml:537: true
-- _4 public.tasks: every row
-- _5 public.projects: permissions.toml:473: true
