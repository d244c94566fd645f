-- role: writer
SELECT array(SELECT row(_0."title", _0."place", _1."id" IS NOT NULL, _1."name")
    FROM (SELECT _0."project_id", _0."title", _0."place"
      FROM unnest(array(SELECT g.v
          FROM (SELECT "public"."add_task"($1::int4, $2::text)
            OFFSET 0) AS g (v)
          WHERE g.v IS DISTINCT
          FROM NULL)) AS _0
      WHERE ((EXISTS (SELECT
            FROM "public"."project_members" AS "m"
            WHERE "m"."project_id" = (_0."project_id")
            AND "m"."account_id" = $3::int4)) OR _0."assignee_id" = $3::int4)
      LIMIT 1) AS _0
    LEFT JOIN "public"."projects" AS _1 ON _1."id" = _0."project_id"
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_1."id")
          AND "m"."account_id" = $3::int4))));
-- $1: "1" of the document
-- $2: "weed" of the document
-- $3: session value user_id, Int
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _1 public.projects: permissions.toml:467: in_project(id)
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "place" = _0."place" + $1::int4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND _0."title" = $3::text RETURNING _0."project_id", _0."title", _0."place", _0."assignee_id", (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_0."project_id")
              AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
        AND _0."place" < 100) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."title", _2."place")
    FROM _1 AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_2."project_id")
          AND "m"."account_id" = $2::int4)) OR _2."assignee_id" = $2::int4));
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: "weed" of the document
-- $4: the word of alarm 1.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _2 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
SELECT "public"."forget"($1::int4, $2::json);
-- $1: "1" of the document
-- $2: the whole session
WITH _1 AS (DELETE
    FROM "public"."remarks" AS _0
    WHERE (_0."owner_id" = $1::int4) RETURNING 1) SELECT ((SELECT count(*)
      FROM _1));
-- $1: session value user_id, Int
-- _0 public.remarks: permissions.toml:580: owner_id = session.user_id
