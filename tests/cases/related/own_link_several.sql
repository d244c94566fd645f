-- role: owner
WITH _0 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    LIMIT 2) SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _0 AS _3), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _0)) = 1) IS TRUE THEN 't' ELSE (SELECT $1::text) END)::bool;
-- $1: the word of alarm 1.
-- _1 public.projects: permissions.toml:473: true
WITH _5 AS (UPDATE "public"."tasks" AS _4 SET "project_id" = (current_setting('postern.s2', true)::text[])[1]::int4
    WHERE _4."id" = $1::int4 RETURNING _4."id") SELECT set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _5 AS _7), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _5)) = 1) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool;
-- $1: "8" of the document
-- $2: the word of alarm 1.
-- _4 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_8."id")
    FROM (SELECT _8."id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _8 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _8."id" = "k"."k0"::int4) AS _8
    ORDER BY _8."_place");
-- _8 public.tasks: permissions.toml:507: true
