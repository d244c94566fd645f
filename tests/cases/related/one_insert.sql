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
WITH _7 AS MATERIALIZED (SELECT _5."id"::int4 AS "project_id", $1::text AS "theme", 1::int8 AS "_n"
    FROM unnest(current_setting('postern.s3', true)::text[]) AS _5("id")), _9 AS (INSERT INTO "public"."project_settings" AS _8 ("project_id", "theme") SELECT _7."project_id", _7."theme"
    FROM _7 RETURNING 1) SELECT;
-- $1: theme of the row $.selectionSet.updateProjectsByPk.args._related.projectSettings.insert of the request, String
SELECT array(SELECT row(_10."id", _11."project_id" IS NOT NULL, _11."theme", _11."options")
    FROM (SELECT _10."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _10 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _10."id" = "k"."k0"::int4) AS _10
    LEFT JOIN "public"."project_settings" AS _11 ON _11."project_id" = _10."id"
    ORDER BY _10."_place");
-- _10 public.projects: permissions.toml:473: true
-- _11 public.project_settings: permissions.toml:549: true
