-- role: writer
WITH _2 AS (DELETE
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
          AND "m"."account_id" = $1::int4)) OR _0."assignee_id" = $1::int4) THEN (((_0."place" = $2::int4)) OR (EXISTS (SELECT
          FROM "public"."projects" AS _1
          WHERE ((EXISTS (SELECT
                FROM "public"."project_members" AS "m"
                WHERE "m"."project_id" = (_1."id")
                AND "m"."account_id" = $1::int4)))
          AND _1."id" = _0."project_id"
          AND _1."name" = $3::text))) ELSE false END RETURNING _0."id", _0."project_id", _0."title", _0."assignee_id") SELECT ((SELECT count(*)
      FROM _2)), array(SELECT row(_3."id", _3."title")
    FROM _2 AS _3
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_3."project_id")
          AND "m"."account_id" = $1::int4)) OR _3."assignee_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: $.selectionSet.deleteTasks.args.where._or[0].place._eq of the request, Int
-- $3: $.selectionSet.deleteTasks.args.where._or[1].project.name._eq of the request, String
-- _0 public.tasks: permissions.toml:504: own_project(project_id) AND NOT done
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _1 public.projects: permissions.toml:467: in_project(id)
-- _3 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id

-- role: owner
WITH _2 AS (DELETE
    FROM "public"."tasks" AS _0
    WHERE (((_0."place" = $1::int4)) OR (EXISTS (SELECT
          FROM "public"."projects" AS _1
          WHERE _1."id" = _0."project_id"
          AND _1."name" = $2::text))) RETURNING _0."id", _0."title") SELECT ((SELECT count(*)
      FROM _2)), array(SELECT row(_3."id", _3."title")
    FROM _2 AS _3);
-- $1: $.selectionSet.deleteTasks.args.where._or[0].place._eq of the request, Int
-- $2: $.selectionSet.deleteTasks.args.where._or[1].project.name._eq of the request, String
-- _0 public.tasks: permissions.toml:510: true
-- _1 public.projects: permissions.toml:473: true
-- _3 public.tasks: permissions.toml:507: true
