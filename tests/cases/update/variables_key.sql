-- role: writer
WITH _1 AS (UPDATE "public"."project_members" AS _0 SET "role" = $1::text
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4))
      AND _0."role" <> 'owner')
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)))
    AND _0."project_id" = $3::int4
    AND _0."account_id" = $4::int4 RETURNING _0."project_id", _0."account_id", (CASE WHEN ((EXISTS (SELECT
            FROM "public"."projects" AS "p"
            WHERE "p"."id" = (_0."project_id")
            AND "p"."owner_id" = $2::int4))
        AND _0."role" <> 'owner') IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_judged") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."project_id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL, set_config('postern.s4', coalesce((SELECT array_agg(_5."account_id"::text)::text
        FROM _1 AS _5), '{}'), true) IS NOT NULL;
-- $1: $.selectionSet.updateProjectMembersByPk.args._set.role of the request, String
-- $2: session value user_id, Int
-- $3: $.selectionSet.updateProjectMembersByPk.args.pk_columns.projectId of the request, Int!
-- $4: $.selectionSet.updateProjectMembersByPk.args.pk_columns.accountId of the request, Int!
-- $5: the word of alarm 1.
-- _0 public.project_members: permissions.toml:561: own_project(project_id) AND role <> 'owner'
-- _0 public.project_members: permissions.toml:559: in_project(project_id)
SELECT array(SELECT row(_6."project_id", _6."account_id", _6."role")
    FROM (SELECT _6."project_id", _6."account_id", _6."role", "k"."place" AS "_place"
      FROM "public"."project_members" AS _6 JOIN unnest(current_setting('postern.s2', true)::text[], current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "k1", "place") ON _6."project_id" = "k"."k0"::int4
      AND _6."account_id" = "k"."k1"::int4) AS _6
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_6."project_id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _6."_place");
-- $1: session value user_id, Int
-- _6 public.project_members: permissions.toml:559: in_project(project_id)
