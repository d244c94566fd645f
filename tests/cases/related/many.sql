-- role: owner
WITH _2 AS MATERIALIZED (SELECT _1."id"
    FROM "public"."projects" AS _1
    WHERE _1."id" = $1::int4 FOR NO KEY UPDATE OF _1) SELECT set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _2 AS _4), '{}'), true) IS NOT NULL, set_config('postern.s5', 0::int8::text, true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _2 AS _7), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _1 public.projects: permissions.toml:475: true
WITH _9 AS (DELETE
    FROM "public"."tasks" AS _8
    WHERE EXISTS (SELECT
      FROM unnest(current_setting('postern.s3', true)::text[]) AS "k"("k0")
      WHERE _8."project_id" = "k"."k0"::int4) RETURNING 1) SELECT set_config('postern.s10', ((SELECT count(*)
        FROM _9))::text, true) IS NOT NULL;
-- _8 public.tasks: permissions.toml:510: true
SELECT (current_setting('postern.s5', true)::int8 + current_setting('postern.s10', true)::int8), array(SELECT row(_11."id", _11."name", array(SELECT row(_12."id")
        FROM "public"."tasks" AS _12
        WHERE _12."project_id" = _11."id"))
    FROM (SELECT _11."id", _11."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _11 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _11."id" = "k"."k0"::int4) AS _11
    ORDER BY _11."_place");
-- _12 public.tasks: permissions.toml:507: true
-- _11 public.projects: permissions.toml:473: true
WITH _14 AS (UPDATE "public"."projects" AS _13 SET "name" = $1::text
    WHERE _13."id" = $2::int4 RETURNING _13."id") SELECT set_config('postern.s15', ((SELECT count(*)
        FROM _14))::text, true) IS NOT NULL, set_config('postern.s16', coalesce((SELECT array_agg(_17."id"::text)::text
        FROM _14 AS _17), '{}'), true) IS NOT NULL;
-- $1: "top" of the document
-- $2: "2" of the document
-- _13 public.projects: permissions.toml:475: true
SELECT (current_setting('postern.s15', true)::int8), array(SELECT row(_18."id", _18."name", array(SELECT row(_19."id")
        FROM "public"."tasks" AS _19
        WHERE _19."project_id" = _18."id"))
    FROM (SELECT _18."id", _18."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _18 JOIN unnest(current_setting('postern.s16', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _18."id" = "k"."k0"::int4) AS _18
    ORDER BY _18."_place");
-- _19 public.tasks: permissions.toml:507: true
-- _18 public.projects: permissions.toml:473: true
