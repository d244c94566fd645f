-- role: writer
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "budget" = $1::numeric, "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_0."owner_id" = $2::int4
      AND _0."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."id")
          AND "m"."account_id" = $2::int4)))
    AND _0."id" = $3::int4 RETURNING _0."id", (CASE WHEN (_0."owner_id" = $2::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL;
-- $1: "19.996" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _0 public.projects: permissions.toml:467: in_project(id)
SELECT array(SELECT row(_4."id", _4."budget")
    FROM (SELECT _4."id", _4."budget", "k"."place" AS "_place"
      FROM "public"."projects" AS _4 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _4."id" = "k"."k0"::int4) AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_4."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _4."_place");
-- $1: session value user_id, Int
-- _4 public.projects: permissions.toml:467: in_project(id)
