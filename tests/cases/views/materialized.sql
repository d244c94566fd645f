-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _1 (c0, c1) AS MATERIALIZED (SELECT _2."members", _2."team_id"
    FROM "public"."team_sizes" AS _2
    WHERE _2."team_id" = $1::int4) (SELECT 0::int2, _4."called", _4."team_id", null::int8, null::int2
    FROM "public"."team_users" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $2::int4)))
    AND _4."team_id" = ANY (array(SELECT _1.c1
        FROM _1))
    ORDER BY _4."id") UNION ALL SELECT 1::int2, null::text, _1.c1, _1.c0, null::int2
  FROM _1 UNION ALL (SELECT 2::int2, null::text, _6."team_id", _6."members", null::int2
    FROM "public"."team_sizes" AS _6
    WHERE _6."members" >= $3::int8
    ORDER BY _6."team_id") UNION ALL SELECT 3::int2, null::text, null::int4, null::int8, _0.c0
  FROM _0;
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: "2" of the document
-- _2 public.team_sizes: permissions.toml:339: true
-- _4 public.team_users: permissions.toml:320: member_of(team_id)
-- _6 public.team_sizes: permissions.toml:339: true
