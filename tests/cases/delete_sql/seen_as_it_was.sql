-- role: writer
WITH _1 AS (DELETE
    FROM "public"."project_members" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $1::int4))
      AND _0."role" <> 'owner')
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $1::int4)))
    AND _0."project_id" = $2::int4 RETURNING _0."project_id", _0."account_id", _0."role") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."project_id", _2."account_id", _2."role")
    FROM _1 AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_2."project_id")
          AND "m"."account_id" = $1::int4))));
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _0 public.project_members: permissions.toml:562: own_project(project_id) AND role <> 'owner'
-- _0 public.project_members: permissions.toml:559: in_project(project_id)
-- _2 public.project_members: permissions.toml:559: in_project(project_id)
