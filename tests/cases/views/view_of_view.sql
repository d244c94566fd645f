-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT array(SELECT row(_1."id", _1."called", _2."id" IS NOT NULL, _2."name")
      FROM "public"."team_user_names" AS _1
      LEFT JOIN "public"."teams" AS _2 ON _2."id" = _1."team_id"
      AND ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."id")
            AND "m"."user_id" = $1::int4)))
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_1."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _1."id" = $2::int4)) (SELECT 0::int2, _4."id", null::record[]
    FROM (SELECT _4."id", _4."team_id"
      FROM "public"."team_user_names" AS _4
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_4."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _4
    WHERE EXISTS (SELECT
      FROM "public"."teams" AS _5
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_5."id")
            AND "m"."user_id" = $1::int4)))
      AND _5."id" = _4."team_id"
      AND _5."name" = $3::text)
    ORDER BY _4."id") UNION ALL SELECT 1::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "3" of the document
-- $3: "north" of the document
-- _1 public.team_user_names: permissions.toml:323: member_of(team_id)
-- _2 public.teams: permissions.toml:33: member_of(id)
-- _4 public.team_user_names: permissions.toml:323: member_of(team_id)
-- _5 public.teams: permissions.toml:33: member_of(id)
