-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*), max(_7."id"))
      FROM "public"."or""ders" AS _7
      WHERE (_7."user_id" = $1::int4))) (SELECT 0::int2, _2."id", null::int8, null::record
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)) UNION ALL (SELECT 1::int2, null::int4, _4."id", null::record
    FROM "public"."or""ders" AS _4
    WHERE (_4."user_id" = $1::int4)) UNION ALL (SELECT 2::int2, null::int4, _6."order_id", null::record
    FROM "public"."order_lines" AS _6
    WHERE (((_6."order_id") IN (SELECT "o"."id"
          FROM "public"."or""ders" AS "o"
          WHERE "o"."user_id" = $1::int4)))) UNION ALL SELECT 3::int2, null::int4, null::int8, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _7 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _6 public.order_lines: permissions.toml:131: own_order(order_id)

-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*), max(_7."id"))
      FROM "public"."or""ders" AS _7
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_7."team_id")
            AND "m"."user_id" = $1::int4))))) (SELECT 0::int2, _2."id", null::int8, null::record
    FROM "public"."users" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))) UNION ALL (SELECT 1::int2, null::int4, _4."id", null::record
    FROM "public"."or""ders" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))) UNION ALL (SELECT 2::int2, null::int4, _6."order_id", null::record
    FROM "public"."order_lines" AS _6
    WHERE ((EXISTS (SELECT
          FROM "public"."or""ders" AS "o"
          WHERE "o"."id" = (_6."order_id")
          AND (EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = ("o"."team_id")
              AND "m"."user_id" = $1::int4)))))
    LIMIT 2) UNION ALL SELECT 3::int2, null::int4, null::int8, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _7 public.or"ders: permissions.toml:121: member_of(team_id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _4 public.or"ders: permissions.toml:121: member_of(team_id)
-- _6 public.order_lines: permissions.toml:134: order_of_team(order_id)
