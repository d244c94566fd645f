-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    ORDER BY _0."id"
    LIMIT 1), array(SELECT row(_1."name")
    FROM "public"."users" AS _1
    WHERE _1."id" = $1::int4), array(SELECT row(_2."name")
    FROM "public"."users" AS _2
    WHERE _2."id" = $2::int4), (SELECT row(count(*))
    FROM "public"."or""ders" AS _3), array(SELECT row(_4."id")
    FROM "public"."or""ders" AS _4
    ORDER BY _4."id");
-- $1: "2" of the document
-- $2: "77" of the document
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.users: every row
-- _3 public.or"ders: every row
-- _4 public.or"ders: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)
    ORDER BY _0."id"
    LIMIT 1), array(SELECT row(_1."name")
    FROM "public"."users" AS _1
    WHERE (_1."id" = $1::int4)
    AND _1."id" = $2::int4), array(SELECT row(_2."name")
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    AND _2."id" = $3::int4), (SELECT row(count(*))
    FROM "public"."or""ders" AS _3
    WHERE (_3."user_id" = $1::int4)), array(SELECT row(_4."id")
    FROM "public"."or""ders" AS _4
    WHERE (_4."user_id" = $1::int4)
    ORDER BY _4."id");
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "77" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: staff
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _0."id"
    LIMIT 1), array(SELECT row(_1."name")
    FROM "public"."users" AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _1."id" = $2::int4), array(SELECT row(_2."name")
    FROM "public"."users" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _2."id" = $3::int4), (SELECT row(count(*))
    FROM "public"."or""ders" AS _3
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4)))), array(SELECT row(_4."id")
    FROM "public"."or""ders" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _4."id");
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "77" of the document
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.users: permissions.toml:54: member_of(team_id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
-- _4 public.or"ders: permissions.toml:121: member_of(team_id)
