-- role: writer
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_0."owner_id" = $1::int4
      AND _0."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."id")
          AND "m"."account_id" = $1::int4)))
    AND _0."id" = $2::int4 RETURNING _0."id", (CASE WHEN (_0."owner_id" = $1::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _0 public.projects: permissions.toml:467: in_project(id)
WITH _6 AS (DELETE
    FROM "public"."tasks" AS _5
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_5."project_id")
          AND "p"."owner_id" = $1::int4))
      AND NOT _5."done")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_5."project_id")
          AND "m"."account_id" = $1::int4)) OR _5."assignee_id" = $1::int4)
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _5."project_id" = "k"."k0"::int4)
    AND _5."place" <= $2::int4 RETURNING 1) SELECT set_config('postern.s7', ((SELECT count(*)
        FROM _6))::text, true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "3" of the document
-- _5 public.tasks: permissions.toml:504: own_project(project_id) AND NOT done
-- _5 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
SELECT (current_setting('postern.s4', true)::int8 + current_setting('postern.s7', true)::int8), array(SELECT row(_8."id", array(SELECT row(_9."id")
        FROM "public"."tasks" AS _9
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_9."project_id")
              AND "m"."account_id" = $1::int4)) OR _9."assignee_id" = $1::int4)
        AND _9."project_id" = _8."id"))
    FROM (SELECT _8."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _8 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _8."id" = "k"."k0"::int4) AS _8
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_8."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _8."_place");
-- $1: session value user_id, Int
-- _9 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _8 public.projects: permissions.toml:467: in_project(id)

-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', 0::int8::text, true) IS NOT NULL;
-- $1: "1" of the document
-- _1 public.projects: permissions.toml:475: true
WITH _7 AS (DELETE
    FROM "public"."tasks" AS _6
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _6."project_id" = "k"."k0"::int4)
    AND _6."place" <= $1::int4 RETURNING 1) SELECT set_config('postern.s8', ((SELECT count(*)
        FROM _7))::text, true) IS NOT NULL;
-- $1: "3" of the document
-- _6 public.tasks: permissions.toml:510: true
SELECT (current_setting('postern.s5', true)::int8 + current_setting('postern.s8', true)::int8), array(SELECT row(_9."id", array(SELECT row(_10."id")
        FROM "public"."tasks" AS _10
        WHERE _10."project_id" = _9."id"))
    FROM (SELECT _9."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _9 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _9."id" = "k"."k0"::int4) AS _9
    ORDER BY _9."_place");
-- _10 public.tasks: permissions.toml:507: true
-- _9 public.projects: permissions.toml:473: true
