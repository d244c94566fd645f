-- role: writer
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)
    WHERE (_0."owner_id" = $1::int4
      AND _0."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."id")
          AND "m"."account_id" = $1::int4)))
    AND _0."id" = $2::int4 RETURNING _0."id", (CASE WHEN (_0."owner_id" = $1::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _1 AS _4), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _0 public.projects: permissions.toml:467: in_project(id)
SELECT (current_setting('postern.s2', true)::int8), array(SELECT row(_5."id", _5."updated_at", _5."version")
    FROM (SELECT _5."id", _5."version", _5."updated_at", "k"."place" AS "_place"
      FROM "public"."projects" AS _5 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _5."id" = "k"."k0"::int4) AS _5
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_5."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _5."_place");
-- $1: session value user_id, Int
-- _5 public.projects: permissions.toml:467: in_project(id)
