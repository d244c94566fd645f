-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _2 AS _6), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _2)) = 1) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool;
-- $1: "2" of the document
-- $2: the word of alarm 1.
-- _1 public.projects: permissions.toml:475: true
WITH _8 AS (UPDATE "public"."project_settings" AS _7 SET "project_id" = (current_setting('postern.s3', true)::text[])[1]::int4
    WHERE _7."theme" = $1::text RETURNING 1) SELECT
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _8)) = 1) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool;
-- $1: "oak" of the document
-- $2: the word of alarm 1.
-- _7 public.project_settings: permissions.toml:551: true
SELECT array(SELECT row(_9."id", _10."project_id" IS NOT NULL, _10."project_id", _10."theme")
    FROM (SELECT _9."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _9 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _9."id" = "k"."k0"::int4) AS _9
    LEFT JOIN "public"."project_settings" AS _10 ON _10."project_id" = _9."id"
    ORDER BY _9."_place");
-- _9 public.projects: permissions.toml:473: true
-- _10 public.project_settings: permissions.toml:549: true
