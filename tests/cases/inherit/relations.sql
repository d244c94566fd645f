-- role: lead
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _1 (c0, c1, c2, c3, c4, c5) AS MATERIALIZED (SELECT _2."id", _3."user_id" IS NOT NULL, _3."number", _4."id" IS NOT NULL, _4."name", (SELECT row(count(*))
      FROM "public"."or""ders" AS _7
      WHERE ((_7."user_id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_7."team_id")
              AND "m"."user_id" = $1::int4))))
      AND _7."user_id" = _2."id")
    FROM "public"."users" AS _2
    LEFT JOIN "public"."passports" AS _3 ON _3."user_id" = _2."id"
    AND (_2."id" = $1::int4)
    AND (_3."user_id" = $1::int4)
    LEFT JOIN "public"."teams" AS _4 ON _4."id" = _2."team_id"
    WHERE ((_2."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4))))
    ORDER BY _2."id") (SELECT 0::int2, _6."id", _6."manager_id", null::bool, null::text, null::bool, null::text, null::record, null::date, null::int2
    FROM "public"."users" AS _6
    WHERE ((_6."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_6."team_id")
            AND "m"."user_id" = $1::int4))))
    AND _6."manager_id" = ANY (array(SELECT _1.c0
        FROM _1))
    ORDER BY _6."id") UNION ALL SELECT 1::int2, _1.c0, null::int4, _1.c1, _1.c2, _1.c3, _1.c4, _1.c5, null::date, null::int2
  FROM _1 UNION ALL (SELECT 2::int2, _9."id", null::int4, null::bool, null::text, null::bool, null::text, null::record, null::date, null::int2
    FROM (SELECT _9."id"
      FROM "public"."users" AS _9
      WHERE ((_9."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_9."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _9
    WHERE EXISTS (SELECT
      FROM "public"."passports" AS _10
      WHERE (_10."user_id" = $1::int4)
      AND _10."user_id" = _9."id"
      AND (_9."id" = $1::int4))) UNION ALL (SELECT 3::int2, _12."id", null::int4, _13."user_id" IS NOT NULL, null::text, null::bool, null::text, null::record, _13."expires", null::int2
    FROM "public"."users" AS _12
    LEFT JOIN "public"."passports" AS _13 ON _13."user_id" = _12."id"
    AND (_12."id" = $1::int4)
    AND (_13."user_id" = $1::int4)
    WHERE ((_12."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_12."team_id")
            AND "m"."user_id" = $1::int4))))
    ORDER BY _13."expires" NULLS FIRST, _12."id"
    LIMIT 2) UNION ALL SELECT 4::int2, null::int4, null::int4, null::bool, null::text, null::bool, null::text, null::record, null::date, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _7 public.or"ders: permissions.toml:118: (user_id = session.user_id) OR (member_of(team_id))
-- _2 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _3 public.passports: permissions.toml:60: user_id = session.user_id
-- _4 public.teams: permissions.toml:30: true
-- _6 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _9 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _10 public.passports: permissions.toml:60: user_id = session.user_id
-- _12 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _13 public.passports: permissions.toml:60: user_id = session.user_id
