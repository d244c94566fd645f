-- role: admin
SELECT array(SELECT row(_0."id", _1."id" IS NOT NULL, _1."id", _3."id" IS NOT NULL, _3."id")
    FROM "public"."or""ders" AS _0
    LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
    LEFT JOIN "public"."teams" AS _2 ON _2."id" = _0."team_id"
    LEFT JOIN "public"."or""ders" AS _3 ON _3."id" = _0."parent_id"
    LEFT JOIN "public"."or""ders" AS _4 ON _4."id" = _3."parent_id"
    ORDER BY _1."name" DESC, _2."name" NULLS FIRST, _4."id", _0."id"
    LIMIT 4), array(SELECT row(_5."id", _6."id" IS NOT NULL, _6."id", _7."id" IS NOT NULL, _7."id")
    FROM "public"."users" AS _5
    LEFT JOIN "public"."users" AS _6 ON _6."id" = _5."manager_id"
    LEFT JOIN "public"."users" AS _7 ON _7."id" = _6."manager_id"
    LEFT JOIN "public"."teams" AS _8 ON _8."id" = _5."team_id"
    ORDER BY _7."name", _8."name" DESC, _5."id"
    LIMIT 3);
-- _0 public.or"ders: every row
-- _1 public.users: every row
-- _2 public.teams: every row
-- _3 public.or"ders: every row
-- _4 public.or"ders: every row
-- _5 public.users: every row
-- _6 public.users: every row
-- _7 public.users: every row
-- _8 public.teams: every row

-- role: customer
SELECT array(SELECT row(_0."id", _1."id" IS NOT NULL, _1."id", _3."id" IS NOT NULL, _3."id")
    FROM "public"."or""ders" AS _0
    LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
    AND (_1."id" = $1::int4)
    LEFT JOIN "public"."teams" AS _2 ON _2."id" = _0."team_id"
    LEFT JOIN "public"."or""ders" AS _3 ON _3."id" = _0."parent_id"
    AND (_3."user_id" = $1::int4)
    LEFT JOIN "public"."or""ders" AS _4 ON _4."id" = _3."parent_id"
    AND (_4."user_id" = $1::int4)
    WHERE (_0."user_id" = $1::int4)
    ORDER BY _1."name" DESC, _2."name" NULLS FIRST, _4."id", _0."id"
    LIMIT 4), array(SELECT row(_5."id", _6."id" IS NOT NULL, _6."id", _7."id" IS NOT NULL, _7."id")
    FROM "public"."users" AS _5
    LEFT JOIN "public"."users" AS _6 ON _6."id" = _5."manager_id"
    AND (_6."id" = $1::int4)
    LEFT JOIN "public"."users" AS _7 ON _7."id" = _6."manager_id"
    AND (_7."id" = $1::int4)
    LEFT JOIN "public"."teams" AS _8 ON _8."id" = _5."team_id"
    WHERE (_5."id" = $1::int4)
    ORDER BY _7."name", _8."name" DESC, _5."id"
    LIMIT 3);
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.teams: permissions.toml:30: true
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _6 public.users: permissions.toml:51: id = session.user_id
-- _7 public.users: permissions.toml:51: id = session.user_id
-- _8 public.teams: permissions.toml:30: true

-- role: staff
SELECT array(SELECT row(_0."id", _1."id" IS NOT NULL, _1."id", _3."id" IS NOT NULL, _3."id")
    FROM "public"."or""ders" AS _0
    LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."team_id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."teams" AS _2 ON _2."id" = _0."team_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."or""ders" AS _3 ON _3."id" = _0."parent_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."or""ders" AS _4 ON _4."id" = _3."parent_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _1."name" DESC, _2."name" NULLS FIRST, _4."id", _0."id"
    LIMIT 4), array(SELECT row(_5."id", _6."id" IS NOT NULL, _6."id", _7."id" IS NOT NULL, _7."id")
    FROM "public"."users" AS _5
    LEFT JOIN "public"."users" AS _6 ON _6."id" = _5."manager_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_6."team_id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."users" AS _7 ON _7."id" = _6."manager_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_7."team_id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."teams" AS _8 ON _8."id" = _5."team_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_8."id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_5."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _7."name", _8."name" DESC, _5."id"
    LIMIT 3);
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:121: member_of(team_id)
-- _1 public.users: permissions.toml:54: member_of(team_id)
-- _2 public.teams: permissions.toml:33: member_of(id)
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
-- _4 public.or"ders: permissions.toml:121: member_of(team_id)
-- _5 public.users: permissions.toml:54: member_of(team_id)
-- _6 public.users: permissions.toml:54: member_of(team_id)
-- _7 public.users: permissions.toml:54: member_of(team_id)
-- _8 public.teams: permissions.toml:33: member_of(id)
