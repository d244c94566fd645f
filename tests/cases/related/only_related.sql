-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."open" = $1::bool FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', 0::int8::text, true) IS NOT NULL;
-- $1: "true" of the document
-- _1 public.projects: permissions.toml:475: true
WITH _7 AS (UPDATE "public"."tasks" AS _6 SET "done" = $1::bool
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _6."project_id" = "k"."k0"::int4) RETURNING 1) SELECT set_config('postern.s8', ((SELECT count(*)
        FROM _7))::text, true) IS NOT NULL;
-- $1: "true" of the document
-- _6 public.tasks: permissions.toml:509: true
SELECT (current_setting('postern.s5', true)::int8 + current_setting('postern.s8', true)::int8), array(SELECT row(_9."id", _9."version", (SELECT row(count(*))
        FROM "public"."tasks" AS _10
        WHERE _10."project_id" = _9."id"
        AND _10."done" = $1::bool))
    FROM (SELECT _9."id", _9."version", "k"."place" AS "_place"
      FROM "public"."projects" AS _9 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _9."id" = "k"."k0"::int4) AS _9
    ORDER BY _9."_place");
-- $1: "true" of the document
-- _10 public.tasks: permissions.toml:507: true
-- _9 public.projects: permissions.toml:473: true
