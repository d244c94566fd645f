-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)), array(SELECT row(_1."id")
    FROM "public"."or""ders" AS _1
    WHERE (_1."user_id" = $1::int4)), array(SELECT row(_2."order_id")
    FROM "public"."order_lines" AS _2
    WHERE (((_2."order_id") IN (SELECT "o"."id"
          FROM "public"."or""ders" AS "o"
          WHERE "o"."user_id" = $1::int4)))), (SELECT row(count(*), max(_3."id"))
    FROM "public"."or""ders" AS _3
    WHERE (_3."user_id" = $1::int4));
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.order_lines: permissions.toml:131: own_order(order_id)
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: staff
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))), array(SELECT row(_1."id")
    FROM "public"."or""ders" AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."team_id")
          AND "m"."user_id" = $1::int4)))), array(SELECT row(_2."order_id")
    FROM "public"."order_lines" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."or""ders" AS "o"
          WHERE "o"."id" = (_2."order_id")
          AND (EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = ("o"."team_id")
              AND "m"."user_id" = $1::int4)))))
    LIMIT 2), (SELECT row(count(*), max(_3."id"))
    FROM "public"."or""ders" AS _3
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4))));
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.or"ders: permissions.toml:121: member_of(team_id)
-- _2 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
