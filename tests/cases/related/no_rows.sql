-- role: owner
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "name" = $1::text
    WHERE _0."id" = $2::int4 RETURNING _0."id") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _1 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s7', coalesce((SELECT array_agg(_8."id"::text)::text
        FROM _1 AS _8), '{}'), true) IS NOT NULL;
-- $1: "x" of the document
-- $2: "70" of the document
-- _0 public.projects: permissions.toml:475: true
WITH _10 AS (UPDATE "public"."tasks" AS _9 SET "done" = $1::bool
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s2', true)::text[]) AS "k"("k0")
      WHERE _9."project_id" = "k"."k0"::int4) RETURNING 1) SELECT set_config('postern.s11', ((SELECT count(*)
        FROM _10))::text, true) IS NOT NULL;
-- $1: "true" of the document
-- _9 public.tasks: permissions.toml:509: true
WITH _13 AS (DELETE
    FROM "public"."tasks" AS _12
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s4', true)::text[]) AS "k"("k0")
      WHERE _12."project_id" = "k"."k0"::int4) RETURNING 1) SELECT set_config('postern.s14', ((SELECT count(*)
        FROM _13))::text, true) IS NOT NULL;
-- _12 public.tasks: permissions.toml:510: true
SELECT (current_setting('postern.s6', true)::int8 + current_setting('postern.s11', true)::int8 + current_setting('postern.s14', true)::int8), array(SELECT row(_15."id")
    FROM (SELECT _15."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _15 JOIN unnest(current_setting('postern.s7', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _15."id" = "k"."k0"::int4) AS _15
    ORDER BY _15."_place");
-- _15 public.projects: permissions.toml:473: true
