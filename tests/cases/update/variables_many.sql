-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::text)::text AS "title", ($2::text)::text AS "priority", _0."project_id", _0."place", _0."assignee_id"
    FROM "public"."tasks" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $3::int4)) OR _0."assignee_id" = $3::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $3::int4)) OR _0."assignee_id" = $3::int4)
    AND _0."id" = $4::int4
    AND CASE WHEN ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $3::int4)) OR _0."assignee_id" = $3::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $3::int4)) OR _0."assignee_id" = $3::int4)
    AND _0."id" = $4::int4 THEN (CASE WHEN (_0."place" = $5::int4) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool ELSE false END FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."tasks" AS _2 SET "title" = _1."title", "priority" = _1."priority"
    FROM _1
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_2."project_id")
          AND "p"."owner_id" = $3::int4)) OR _2."assignee_id" = $3::int4)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((((EXISTS (SELECT
                    FROM "public"."projects" AS "p"
                    WHERE "p"."id" = (_1."project_id")
                    AND "p"."owner_id" = $3::int4)) OR _1."assignee_id" = $3::int4)
              AND _1."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool
      FROM _1) RETURNING _2."id") SELECT set_config('postern.s4', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _3 AS _6), '{}'), true) IS NOT NULL;
-- $1: $.selectionSet.updateTasksMany.args.updates[0]._set.title of the request, String
-- $2: $.selectionSet.updateTasksMany.args.updates[0]._set.priority of the request, priorities_enum, or null
-- $3: session value user_id, Int
-- $4: $.selectionSet.updateTasksMany.args.updates[0].where.id._eq of the request, Int
-- $5: $.selectionSet.updateTasksMany.args.updates[0].if_match.place of the request, Int
-- $6: the word of alarm 1.
-- $7: the word of alarm 2.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _2 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
SELECT (current_setting('postern.s4', true)::int8), array(SELECT row(_7."id", _7."title", _7."place", _7."priority")
    FROM (SELECT _7."id", _7."project_id", _7."title", _7."place", _7."assignee_id", _7."priority", "k"."place" AS "_place"
      FROM "public"."tasks" AS _7 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _7."id" = "k"."k0"::int4) AS _7
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_7."project_id")
          AND "m"."account_id" = $1::int4)) OR _7."assignee_id" = $1::int4)
    ORDER BY _7."_place");
-- $1: session value user_id, Int
-- _7 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "place" = _0."place" + $1::int4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND _0."id" = ANY ($3::int4[]) RETURNING _0."id", _0."project_id", _0."title", _0."place", _0."assignee_id", _0."priority", (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_0."project_id")
              AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
        AND _0."place" < 100) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."id", _2."title", _2."place", _2."priority")
    FROM _1 AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_2."project_id")
          AND "m"."account_id" = $2::int4)) OR _2."assignee_id" = $2::int4));
-- $1: $.selectionSet.updateTasksMany.args.updates[1]._inc.place of the request, Int
-- $2: session value user_id, Int
-- $3: $.selectionSet.updateTasksMany.args.updates[1].where.id._in of the request, [Int!], a list
-- $4: the word of alarm 1.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _2 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
