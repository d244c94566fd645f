-- role: writer
WITH _1 AS MATERIALIZED (SELECT ($1::int4)::int4 AS "owner_id", $2::text AS "name", $3::numeric AS "budget", (0)::numeric AS "spent", ($1::int4)::int4 AS "created_by", 1::int8 AS "_n"), _6 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."owner_id" = $1::int4
              AND _1."spent" <= coalesce(_1."budget", 900)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."projects" AS _2 ("owner_id", "name", "budget", "spent", "created_by") SELECT _1."owner_id", _1."name", _1."budget", _1."spent", _1."created_by"
    FROM _1
    WHERE (SELECT _6."ok"
      FROM _6) RETURNING _2."id", (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_ok") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: session value user_id, Int
-- $2: name of the row $.selectionSet.updateTasksByPk.args._related.project.insert of the request, String
-- $3: budget of the row $.selectionSet.updateTasksByPk.args._related.project.insert of the request, numeric
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- $6: the word of alarm 3.
-- _1 public.projects: permissions.toml:468: owner_id = session.user_id AND spent <= coalesce(budget, 900)
-- _2 public.projects: permissions.toml:468: owner_id = session.user_id AND spent <= coalesce(budget, 900)
WITH _8 AS MATERIALIZED (SELECT _7."id" AS "_key0", ((current_setting('postern.s4', true)::text[])[1]::int4)::int4 AS "project_id", _7."place", _7."assignee_id"
    FROM "public"."tasks" AS _7
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_7."project_id")
          AND "p"."owner_id" = $1::int4)) OR _7."assignee_id" = $1::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_7."project_id")
          AND "m"."account_id" = $1::int4)) OR _7."assignee_id" = $1::int4)
    AND _7."id" = $2::int4 FOR NO KEY UPDATE OF _7), _10 AS (UPDATE "public"."tasks" AS _9 SET "project_id" = _8."project_id"
    FROM _8
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_9."project_id")
          AND "p"."owner_id" = $1::int4)) OR _9."assignee_id" = $1::int4)
    AND _9."id" = _8."_key0"
    AND (SELECT (CASE WHEN (bool_and((((EXISTS (SELECT
                    FROM "public"."projects" AS "p"
                    WHERE "p"."id" = (_8."project_id")
                    AND "p"."owner_id" = $1::int4)) OR _8."assignee_id" = $1::int4)
              AND _8."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _8) RETURNING _9."id") SELECT set_config('postern.s11', coalesce((SELECT array_agg(_12."id"::text)::text
        FROM _10 AS _12), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _10)) = 1) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: session value user_id, Int
-- $2: "8" of the document
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _7 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _7 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _9 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
SELECT array(SELECT row(_13."id", _14."id" IS NOT NULL, _14."name", _14."budget", _14."owner_id", array(SELECT row(_15."id")
        FROM "public"."tasks" AS _15
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_15."project_id")
              AND "m"."account_id" = $1::int4)) OR _15."assignee_id" = $1::int4)
        AND _15."project_id" = _14."id"))
    FROM (SELECT _13."id", _13."project_id", _13."assignee_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _13 JOIN unnest(current_setting('postern.s11', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _13."id" = "k"."k0"::int4) AS _13
    LEFT JOIN "public"."projects" AS _14 ON _14."id" = _13."project_id"
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_14."id")
          AND "m"."account_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_13."project_id")
          AND "m"."account_id" = $1::int4)) OR _13."assignee_id" = $1::int4)
    ORDER BY _13."_place");
-- $1: session value user_id, Int
-- _15 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _13 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _14 public.projects: permissions.toml:467: in_project(id)
