-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _2)) = 1) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool;
-- $1: "1" of the document
-- $2: the word of alarm 1.
-- _1 public.projects: permissions.toml:475: true
WITH _6 AS (UPDATE "public"."tasks" AS _5 SET "project_id" = NULL
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _5."project_id" = "k"."k0"::int4) RETURNING 1) SELECT;
-- _5 public.tasks: permissions.toml:509: true
WITH _8 AS (UPDATE "public"."tasks" AS _7 SET "project_id" = (current_setting('postern.s3', true)::text[])[1]::int4
    WHERE _7."id" = $1::int4 RETURNING 1) SELECT;
-- $1: "8" of the document
-- _7 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_9."id", array(SELECT row(_10."id")
        FROM "public"."tasks" AS _10
        WHERE _10."project_id" = _9."id"))
    FROM (SELECT _9."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _9 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _9."id" = "k"."k0"::int4) AS _9
    ORDER BY _9."_place");
-- _10 public.tasks: permissions.toml:507: true
-- _9 public.projects: permissions.toml:473: true
