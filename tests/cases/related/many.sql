-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', 0::int8::text, true) IS NOT NULL;
-- $1: "1" of the document
-- _1 public.projects: permissions.toml:475: true
WITH _7 AS (DELETE
    FROM "public"."tasks" AS _6
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _6."project_id" = "k"."k0"::int4) RETURNING 1) SELECT set_config('postern.s8', ((SELECT count(*)
        FROM _7))::text, true) IS NOT NULL;
-- _6 public.tasks: permissions.toml:510: true
SELECT (current_setting('postern.s5', true)::int8 + current_setting('postern.s8', true)::int8), array(SELECT row(_9."id", _9."name", array(SELECT row(_10."id")
        FROM "public"."tasks" AS _10
        WHERE _10."project_id" = _9."id"))
    FROM (SELECT _9."id", _9."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _9 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _9."id" = "k"."k0"::int4) AS _9
    ORDER BY _9."_place");
-- _10 public.tasks: permissions.toml:507: true
-- _9 public.projects: permissions.toml:473: true
WITH _1 AS (UPDATE "public"."projects" AS _0 SET "name" = $1::text
    WHERE _0."id" = $2::int4 RETURNING _0."id") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _1 AS _4), '{}'), true) IS NOT NULL;
-- $1: "top" of the document
-- $2: "2" of the document
-- _0 public.projects: permissions.toml:475: true
SELECT (current_setting('postern.s2', true)::int8), array(SELECT row(_5."id", _5."name", array(SELECT row(_6."id")
        FROM "public"."tasks" AS _6
        WHERE _6."project_id" = _5."id"))
    FROM (SELECT _5."id", _5."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _5 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _5."id" = "k"."k0"::int4) AS _5
    ORDER BY _5."_place");
-- _6 public.tasks: permissions.toml:507: true
-- _5 public.projects: permissions.toml:473: true
