-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _2)) = 1) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool;
-- $1: "2" of the document
-- $2: the word of alarm 1.
-- _1 public.projects: permissions.toml:475: true
WITH _6 AS (UPDATE "public"."project_settings" AS _5 SET "project_id" = (current_setting('postern.s3', true)::text[])[1]::int4
    WHERE _5."theme" = $1::text RETURNING 1) SELECT
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _6)) = 1) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool;
-- $1: "oak" of the document
-- $2: the word of alarm 1.
-- _5 public.project_settings: permissions.toml:551: true
SELECT array(SELECT row(_7."id", _8."project_id" IS NOT NULL, _8."project_id", _8."theme")
    FROM (SELECT _7."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _7 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _7."id" = "k"."k0"::int4) AS _7
    LEFT JOIN "public"."project_settings" AS _8 ON _8."project_id" = _7."id"
    ORDER BY _7."_place");
-- _7 public.projects: permissions.toml:473: true
-- _8 public.project_settings: permissions.toml:549: true
