-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _2 AS _6), '{}'), true) IS NOT NULL, set_config('postern.s7', coalesce((SELECT array_agg(_8."id"::text)::text
        FROM _2 AS _8), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _2)) = 1) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool;
-- $1: "1" of the document
-- $2: the word of alarm 1.
-- _1 public.projects: permissions.toml:475: true
WITH _10 AS (UPDATE "public"."tasks" AS _9 SET "project_id" = NULL
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _9."project_id" = "k"."k0"::int4) RETURNING 1) SELECT;
-- _9 public.tasks: permissions.toml:509: true
WITH _12 AS (UPDATE "public"."tasks" AS _11 SET "project_id" = (current_setting('postern.s5', true)::text[])[1]::int4
    WHERE _11."id" = $1::int4 RETURNING 1) SELECT;
-- $1: "8" of the document
-- _11 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_13."id", array(SELECT row(_14."id")
        FROM "public"."tasks" AS _14
        WHERE _14."project_id" = _13."id"))
    FROM (SELECT _13."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _13 JOIN unnest(current_setting('postern.s7', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _13."id" = "k"."k0"::int4) AS _13
    ORDER BY _13."_place");
-- _14 public.tasks: permissions.toml:507: true
-- _13 public.projects: permissions.toml:473: true
