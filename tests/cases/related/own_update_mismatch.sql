-- role: writer
WITH _2 AS MATERIALIZED (SELECT _1."id", _1."project_id"
    FROM "public"."tasks" AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_1."project_id")
          AND "p"."owner_id" = $1::int4)) OR _1."assignee_id" = $1::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_1."project_id")
          AND "m"."account_id" = $1::int4)) OR _1."assignee_id" = $1::int4)
    AND _1."id" = $2::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."project_id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _2 AS _6), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _1 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _1 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
WITH _8 AS MATERIALIZED (SELECT _7."id" AS "_key0", ($1::text)::text AS "name", ((('2024-06-01T00:00:00Z')::timestamptz))::timestamptz AS "updated_at", _7."owner_id", _7."budget", _7."spent"
    FROM "public"."projects" AS _7
    WHERE (_7."owner_id" = $2::int4
      AND _7."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_7."id")
          AND "m"."account_id" = $2::int4)))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _7."id" = "k"."k0"::int4)
    AND CASE WHEN (_7."owner_id" = $2::int4
      AND _7."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_7."id")
          AND "m"."account_id" = $2::int4)))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _7."id" = "k"."k0"::int4) THEN (CASE WHEN (_7."name" = $3::text) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool ELSE false END FOR NO KEY UPDATE OF _7), _10 AS (UPDATE "public"."projects" AS _9 SET "name" = _8."name", "updated_at" = _8."updated_at"
    FROM _8
    WHERE (_9."owner_id" = $2::int4
      AND _9."open")
    AND _9."id" = _8."_key0"
    AND (SELECT (CASE WHEN (bool_and((_8."owner_id" = $2::int4
              AND _8."spent" <= coalesce(_8."budget", 900)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool
      FROM _8) RETURNING 1, (CASE WHEN (_9."owner_id" = $2::int4
        AND _9."spent" <= coalesce(_9."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool AS "_judged") SELECT;
-- $1: "yard" of the document
-- $2: session value user_id, Int
-- $3: "lawn" of the document
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- $6: the word of alarm 3.
-- _7 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _7 public.projects: permissions.toml:467: in_project(id)
-- _9 public.projects: permissions.toml:469: owner_id = session.user_id AND open
SELECT array(SELECT row(_11."id")
    FROM (SELECT _11."id", _11."project_id", _11."assignee_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _11 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _11."id" = "k"."k0"::int4) AS _11
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_11."project_id")
          AND "m"."account_id" = $1::int4)) OR _11."assignee_id" = $1::int4)
    ORDER BY _11."_place");
-- $1: session value user_id, Int
-- _11 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
