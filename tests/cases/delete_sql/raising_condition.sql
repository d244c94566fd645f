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
    AND CASE WHEN ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $1::int4))
      AND NOT _0."done")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $1::int4)) OR _0."assignee_id" = $1::int4) THEN _0."title" ~~ (SELECT $2::text) ELSE false END RETURNING _0."id", _0."project_id", _0."assignee_id") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."id")
    FROM _1 AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_2."project_id")
          AND "m"."account_id" = $1::int4)) OR _2."assignee_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: "%a%" of the document
-- _0 public.tasks: permissions.toml:504: own_project(project_id) AND NOT done
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _2 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
