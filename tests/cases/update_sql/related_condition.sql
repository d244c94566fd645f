-- role: writer
WITH _2 AS (UPDATE "public"."tasks" AS _0 SET "done" = $1::bool
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND CASE WHEN ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)) OR _0."assignee_id" = $2::int4) THEN EXISTS (SELECT
      FROM "public"."projects" AS _1
      WHERE ((EXISTS (SELECT
            FROM "public"."project_members" AS "m"
            WHERE "m"."project_id" = (_1."id")
            AND "m"."account_id" = $2::int4)))
      AND _1."id" = _0."project_id"
      AND _1."name" = $3::text) ELSE false END RETURNING _0."id", _0."project_id", _0."assignee_id", (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_0."project_id")
              AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
        AND _0."place" < 100) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _2)), array(SELECT row(_3."id")
    FROM _2 AS _3
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_3."project_id")
          AND "m"."account_id" = $2::int4)) OR _3."assignee_id" = $2::int4));
-- $1: "true" of the document
-- $2: session value user_id, Int
-- $3: "cellar" of the document
-- $4: the word of alarm 1.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _1 public.projects: permissions.toml:467: in_project(id)
-- _3 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
