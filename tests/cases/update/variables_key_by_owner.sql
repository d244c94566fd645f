-- role: owner
WITH _1 AS (UPDATE "public"."project_members" AS _0 SET "role" = $1::text
    WHERE _0."project_id" = $2::int4
    AND _0."account_id" = $3::int4 RETURNING _0."project_id", _0."account_id", _0."role") SELECT array(SELECT row(_2."project_id", _2."account_id", _2."role")
    FROM _1 AS _2);
-- $1: $.selectionSet.updateProjectMembersByPk.args._set.role of the request, String
-- $2: $.selectionSet.updateProjectMembersByPk.args.pk_columns.projectId of the request, Int!
-- $3: $.selectionSet.updateProjectMembersByPk.args.pk_columns.accountId of the request, Int!
-- _0 public.project_members: permissions.toml:567: true
-- _2 public.project_members: permissions.toml:565: true
