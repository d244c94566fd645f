-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _3."id" IS NOT NULL, _3."id", _5."id" IS NOT NULL, _5."id", null::int4, null::int4, null::int2
    FROM "public"."or""ders" AS _2
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _2."user_id"
    LEFT JOIN "public"."teams" AS _4 ON _4."id" = _2."team_id"
    LEFT JOIN "public"."or""ders" AS _5 ON _5."id" = _2."parent_id"
    LEFT JOIN "public"."or""ders" AS _6 ON _6."id" = _5."parent_id"
    ORDER BY _3."name" DESC, _4."name" NULLS FIRST, _6."id", _2."id"
    LIMIT 4) UNION ALL (SELECT 1::int2, null::int8, _9."id" IS NOT NULL, _8."id", _10."id" IS NOT NULL, null::int8, _9."id", _10."id", null::int2
    FROM "public"."users" AS _8
    LEFT JOIN "public"."users" AS _9 ON _9."id" = _8."manager_id"
    LEFT JOIN "public"."users" AS _10 ON _10."id" = _9."manager_id"
    LEFT JOIN "public"."teams" AS _11 ON _11."id" = _8."team_id"
    ORDER BY _10."name", _11."name" DESC, _8."id"
    LIMIT 3) UNION ALL SELECT 2::int2, null::int8, null::bool, null::int4, null::bool, null::int8, null::int4, null::int4, _0.c0
  FROM _0;
-- _2 public.or"ders: every row
-- _3 public.users: every row
-- _4 public.teams: every row
-- _5 public.or"ders: every row
-- _6 public.or"ders: every row
-- _8 public.users: every row
-- _9 public.users: every row
-- _10 public.users: every row
-- _11 public.teams: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _3."id" IS NOT NULL, _3."id", _5."id" IS NOT NULL, _5."id", null::int4, null::int4, null::int2
    FROM "public"."or""ders" AS _2
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _2."user_id"
    AND (_3."id" = $1::int4)
    LEFT JOIN "public"."teams" AS _4 ON _4."id" = _2."team_id"
    LEFT JOIN "public"."or""ders" AS _5 ON _5."id" = _2."parent_id"
    AND (_5."user_id" = $1::int4)
    LEFT JOIN "public"."or""ders" AS _6 ON _6."id" = _5."parent_id"
    AND (_6."user_id" = $1::int4)
    WHERE (_2."user_id" = $1::int4)
    ORDER BY _3."name" DESC, _4."name" NULLS FIRST, _6."id", _2."id"
    LIMIT 4) UNION ALL (SELECT 1::int2, null::int8, _9."id" IS NOT NULL, _8."id", _10."id" IS NOT NULL, null::int8, _9."id", _10."id", null::int2
    FROM "public"."users" AS _8
    LEFT JOIN "public"."users" AS _9 ON _9."id" = _8."manager_id"
    AND (_9."id" = $1::int4)
    LEFT JOIN "public"."users" AS _10 ON _10."id" = _9."manager_id"
    AND (_10."id" = $1::int4)
    LEFT JOIN "public"."teams" AS _11 ON _11."id" = _8."team_id"
    WHERE (_8."id" = $1::int4)
    ORDER BY _10."name", _11."name" DESC, _8."id"
    LIMIT 3) UNION ALL SELECT 2::int2, null::int8, null::bool, null::int4, null::bool, null::int8, null::int4, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.teams: permissions.toml:30: true
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _9 public.users: permissions.toml:51: id = session.user_id
-- _10 public.users: permissions.toml:51: id = session.user_id
-- _11 public.teams: permissions.toml:30: true

-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _3."id" IS NOT NULL, _3."id", _5."id" IS NOT NULL, _5."id", null::int4, null::int4, null::int2
    FROM "public"."or""ders" AS _2
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _2."user_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."teams" AS _4 ON _4."id" = _2."team_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."or""ders" AS _5 ON _5."id" = _2."parent_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_5."team_id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."or""ders" AS _6 ON _6."id" = _5."parent_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_6."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _3."name" DESC, _4."name" NULLS FIRST, _6."id", _2."id"
    LIMIT 4) UNION ALL (SELECT 1::int2, null::int8, _9."id" IS NOT NULL, _8."id", _10."id" IS NOT NULL, null::int8, _9."id", _10."id", null::int2
    FROM "public"."users" AS _8
    LEFT JOIN "public"."users" AS _9 ON _9."id" = _8."manager_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_9."team_id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."users" AS _10 ON _10."id" = _9."manager_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_10."team_id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."teams" AS _11 ON _11."id" = _8."team_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_11."id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_8."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _10."name", _11."name" DESC, _8."id"
    LIMIT 3) UNION ALL SELECT 2::int2, null::int8, null::bool, null::int4, null::bool, null::int8, null::int4, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.or"ders: permissions.toml:121: member_of(team_id)
-- _3 public.users: permissions.toml:54: member_of(team_id)
-- _4 public.teams: permissions.toml:33: member_of(id)
-- _5 public.or"ders: permissions.toml:121: member_of(team_id)
-- _6 public.or"ders: permissions.toml:121: member_of(team_id)
-- _8 public.users: permissions.toml:54: member_of(team_id)
-- _9 public.users: permissions.toml:54: member_of(team_id)
-- _10 public.users: permissions.toml:54: member_of(team_id)
-- _11 public.teams: permissions.toml:33: member_of(id)
