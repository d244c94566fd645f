-- role: owner
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "name" = $1::text
    WHERE _0."id" = $2::int4 RETURNING _0."id") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL;
-- $1: "x" of the document
-- $2: "70" of the document
-- _0 public.projects: permissions.toml:475: true
WITH _6 AS (UPDATE "public"."tasks" AS _5 SET "done" = $1::bool
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _5."project_id" = "k"."k0"::int4) RETURNING 1) SELECT set_config('postern.s7', ((SELECT count(*)
        FROM _6))::text, true) IS NOT NULL;
-- $1: "true" of the document
-- _5 public.tasks: permissions.toml:509: true
WITH _9 AS (DELETE
    FROM "public"."tasks" AS _8
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _8."project_id" = "k"."k0"::int4) RETURNING 1) SELECT set_config('postern.s10', ((SELECT count(*)
        FROM _9))::text, true) IS NOT NULL;
-- _8 public.tasks: permissions.toml:510: true
SELECT (current_setting('postern.s4', true)::int8 + current_setting('postern.s7', true)::int8 + current_setting('postern.s10', true)::int8), array(SELECT row(_11."id")
    FROM (SELECT _11."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _11 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _11."id" = "k"."k0"::int4) AS _11
    ORDER BY _11."_place");
-- _11 public.projects: permissions.toml:473: true
