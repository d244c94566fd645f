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
WITH _9 AS MATERIALIZED (SELECT _7."id"::int4 AS "project_id", $1::text AS "theme", 1::int8 AS "_n"
    FROM unnest(current_setting('postern.s3', true)::text[]) AS _7("id")), _11 AS (INSERT INTO "public"."project_settings" AS _10 ("project_id", "theme") SELECT _9."project_id", _9."theme"
    FROM _9 RETURNING 1) SELECT;
-- $1: theme of the row $.selectionSet.updateProjectsByPk.args._related.projectSettings.insert of the request, String
SELECT array(SELECT row(_12."id", _13."project_id" IS NOT NULL, _13."theme", _13."options")
    FROM (SELECT _12."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _12 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _12."id" = "k"."k0"::int4) AS _12
    LEFT JOIN "public"."project_settings" AS _13 ON _13."project_id" = _12."id"
    ORDER BY _12."_place");
-- _12 public.projects: permissions.toml:473: true
-- _13 public.project_settings: permissions.toml:549: true
