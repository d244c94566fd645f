-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)
    ORDER BY _0."id"), array(SELECT row(_1."id", _2."id" IS NOT NULL, _2."id")
    FROM "public"."or""ders" AS _1
    LEFT JOIN "public"."users" AS _2 ON _2."id" = _1."user_id"
    AND (_2."id" = $1::int4)
    WHERE (_1."user_id" = $1::int4)
    ORDER BY _1."id");
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id

-- role: staff
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _0."id"), array(SELECT row(_1."id", _2."id" IS NOT NULL, _2."id")
    FROM "public"."or""ders" AS _1
    LEFT JOIN "public"."users" AS _2 ON _2."id" = _1."user_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _1."id");
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.or"ders: permissions.toml:121: member_of(team_id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
