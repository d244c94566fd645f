-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int8, null::bool, null::int2
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", _4."id", _5."id" IS NOT NULL, null::int2
    FROM "public"."or""ders" AS _4
    LEFT JOIN "public"."users" AS _5 ON _5."id" = _4."user_id"
    AND (_5."id" = $1::int4)
    WHERE (_4."user_id" = $1::int4)
    ORDER BY _4."id") UNION ALL SELECT 2::int2, null::int4, null::int8, null::bool, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id

-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int8, null::bool, null::int2
    FROM "public"."users" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", _4."id", _5."id" IS NOT NULL, null::int2
    FROM "public"."or""ders" AS _4
    LEFT JOIN "public"."users" AS _5 ON _5."id" = _4."user_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_5."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _4."id") UNION ALL SELECT 2::int2, null::int4, null::int8, null::bool, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _4 public.or"ders: permissions.toml:121: member_of(team_id)
-- _5 public.users: permissions.toml:54: member_of(team_id)
