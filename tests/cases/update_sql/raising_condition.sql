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
    AND _0."place" > $3::int4
    AND CASE WHEN ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND _0."place" > $3::int4 THEN _0."title" ~~* (SELECT $4::text) ELSE false END RETURNING 1, (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_0."project_id")
              AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
        AND _0."place" < 100) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1));
-- $1: "true" of the document
-- $2: session value user_id, Int
-- $3: "0" of the document
-- $4: "%A%" of the document
-- $5: the word of alarm 1.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
