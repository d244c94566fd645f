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
    AND _1."id" = ANY ($2::int4[]) FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."project_id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', 0::int8::text, true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _2 AS _7), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "{\"1\",\"2\",\"5\"}" of the document
-- _1 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _1 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
WITH _9 AS MATERIALIZED (SELECT _8."id" AS "_key0", ($1::text)::text AS "name", ((('2024-06-01T00:00:00Z')::timestamptz))::timestamptz AS "updated_at", _8."owner_id", _8."budget", _8."spent"
    FROM "public"."projects" AS _8
    WHERE (_8."owner_id" = $2::int4
      AND _8."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_8."id")
          AND "m"."account_id" = $2::int4)))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _8."id" = "k"."k0"::int4)
    AND CASE WHEN (_8."owner_id" = $2::int4
      AND _8."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_8."id")
          AND "m"."account_id" = $2::int4)))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _8."id" = "k"."k0"::int4) THEN (CASE WHEN (_8."name" = $3::text) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool ELSE false END FOR NO KEY UPDATE OF _8), _11 AS (UPDATE "public"."projects" AS _10 SET "name" = _9."name", "updated_at" = _9."updated_at"
    FROM _9
    WHERE (_10."owner_id" = $2::int4
      AND _10."open")
    AND _10."id" = _9."_key0"
    AND (SELECT (CASE WHEN (bool_and((_9."owner_id" = $2::int4
              AND _9."spent" <= coalesce(_9."budget", 900)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool
      FROM _9) RETURNING 1, (CASE WHEN (_10."owner_id" = $2::int4
        AND _10."spent" <= coalesce(_10."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool AS "_judged") SELECT set_config('postern.s12', ((SELECT count(*)
        FROM _11))::text, true) IS NOT NULL;
-- $1: "yard" of the document
-- $2: session value user_id, Int
-- $3: "garden" of the document
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- $6: the word of alarm 3.
-- _8 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _8 public.projects: permissions.toml:467: in_project(id)
-- _10 public.projects: permissions.toml:469: owner_id = session.user_id AND open
SELECT (current_setting('postern.s5', true)::int8 + current_setting('postern.s12', true)::int8), array(SELECT row(_13."id", _14."id" IS NOT NULL, _14."name")
    FROM (SELECT _13."id", _13."project_id", _13."assignee_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _13 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _13."id" = "k"."k0"::int4) AS _13
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
-- _13 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _14 public.projects: permissions.toml:467: in_project(id)
