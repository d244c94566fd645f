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
WITH _12 AS (UPDATE "public"."projects" AS _11 SET "name" = $1::text
    WHERE _11."id" = $2::int4 RETURNING _11."id") SELECT set_config('postern.s13', ((SELECT count(*)
        FROM _12))::text, true) IS NOT NULL, set_config('postern.s14', coalesce((SELECT array_agg(_15."id"::text)::text
        FROM _12 AS _15), '{}'), true) IS NOT NULL;
-- $1: "top" of the document
-- $2: "2" of the document
-- _11 public.projects: permissions.toml:475: true
SELECT (current_setting('postern.s13', true)::int8), array(SELECT row(_16."id", _16."name", array(SELECT row(_17."id")
        FROM "public"."tasks" AS _17
        WHERE _17."project_id" = _16."id"))
    FROM (SELECT _16."id", _16."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _16 JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _16."id" = "k"."k0"::int4) AS _16
    ORDER BY _16."_place");
-- _17 public.tasks: permissions.toml:507: true
-- _16 public.projects: permissions.toml:473: true
