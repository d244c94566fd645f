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
        FROM _1 AS _3), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _0 public.projects: permissions.toml:467: in_project(id)
WITH _5 AS (UPDATE "public"."project_settings" AS _4 SET "theme" = $1::text, "options" = _4."options" || $2::jsonb
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_4."project_id")
          AND "p"."owner_id" = $3::int4)))
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_4."project_id")
          AND "m"."account_id" = $3::int4)))
    AND EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _4."project_id" = "k"."k0"::int4) RETURNING 1, (CASE WHEN ((EXISTS (SELECT
            FROM "public"."projects" AS "p"
            WHERE "p"."id" = (_4."project_id")
            AND "p"."owner_id" = $3::int4))) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT;
-- $1: "blue" of the document
-- $2: "{\"x\":1}" of the document
-- $3: session value user_id, Int
-- $4: the word of alarm 1.
-- _4 public.project_settings: permissions.toml:545: own_project(project_id)
-- _4 public.project_settings: permissions.toml:543: in_project(project_id)
SELECT array(SELECT row(_6."id", _7."project_id" IS NOT NULL, _7."theme", _7."options")
    FROM (SELECT _6."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _6 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _6."id" = "k"."k0"::int4) AS _6
    LEFT JOIN "public"."project_settings" AS _7 ON _7."project_id" = _6."id"
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_7."project_id")
          AND "m"."account_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_6."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _6."_place");
-- $1: session value user_id, Int
-- _6 public.projects: permissions.toml:467: in_project(id)
-- _7 public.project_settings: permissions.toml:543: in_project(project_id)
