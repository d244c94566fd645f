-- role: writer
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_0."owner_id" = $1::int4
      AND _0."open")
    AND _0."id" = $2::int4 RETURNING _0."id", (CASE WHEN (_0."owner_id" = $1::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _1 AS _6), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
WITH _8 AS (DELETE
    FROM "public"."tasks" AS _7
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_7."project_id")
          AND "p"."owner_id" = $1::int4))
      AND NOT _7."done")
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _7."project_id" = "k"."k0"::int4)
    AND _7."place" <= $2::int4 RETURNING 1) SELECT set_config('postern.s9', ((SELECT count(*)
        FROM _8))::text, true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "3" of the document
-- _7 public.tasks: permissions.toml:504: own_project(project_id) AND NOT done
SELECT (current_setting('postern.s4', true)::int8 + current_setting('postern.s9', true)::int8), array(SELECT row(_10."id", array(SELECT row(_11."id")
        FROM "public"."tasks" AS _11
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_11."project_id")
              AND "m"."account_id" = $1::int4)) OR _11."assignee_id" = $1::int4)
        AND _11."project_id" = _10."id"))
    FROM (SELECT _10."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _10 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _10."id" = "k"."k0"::int4) AS _10
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_10."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _10."_place");
-- $1: session value user_id, Int
-- _11 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _10 public.projects: permissions.toml:467: in_project(id)

-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', 0::int8::text, true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _2 AS _7), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _1 public.projects: permissions.toml:475: true
WITH _9 AS (DELETE
    FROM "public"."tasks" AS _8
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _8."project_id" = "k"."k0"::int4)
    AND _8."place" <= $1::int4 RETURNING 1) SELECT set_config('postern.s10', ((SELECT count(*)
        FROM _9))::text, true) IS NOT NULL;
-- $1: "3" of the document
-- _8 public.tasks: permissions.toml:510: true
SELECT (current_setting('postern.s5', true)::int8 + current_setting('postern.s10', true)::int8), array(SELECT row(_11."id", array(SELECT row(_12."id")
        FROM "public"."tasks" AS _12
        WHERE _12."project_id" = _11."id"))
    FROM (SELECT _11."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _11 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _11."id" = "k"."k0"::int4) AS _11
    ORDER BY _11."_place");
-- _12 public.tasks: permissions.toml:507: true
-- _11 public.projects: permissions.toml:473: true
