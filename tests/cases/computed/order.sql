-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", "public"."user_label"(_2.*), null::int8, null::bool, null::record[], null::record, null::int2
    FROM "public"."users" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY (SELECT count(*)
      FROM "public"."user_orders"(_2.*) AS _3
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_3."team_id")
            AND "m"."user_id" = $1::int4)))) DESC, (SELECT max(_4."Total Amount")
      FROM "public"."user_orders"(_2.*) AS _4
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_4."team_id")
            AND "m"."user_id" = $1::int4)))), "public"."user_label"(_2.*)
    LIMIT 3) UNION ALL (SELECT 1::int2, null::int4, "public"."user_label"(_7.*), _6."id", _7."id" IS NOT NULL, null::record[], null::record, null::int2
    FROM "public"."or""ders" AS _6
    LEFT JOIN "public"."users" AS _7 ON _7."id" = _6."user_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_7."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_6."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY "public"."user_label"(_7.*) DESC NULLS LAST, _6."id"
    LIMIT 2) UNION ALL (SELECT 2::int2, _9."id", null::text, null::int8, null::bool, array(SELECT row(_11."id", "public"."user_label"(_11.*))
      FROM "public"."team_users"(_9.*) AS _11
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_11."team_id")
            AND "m"."user_id" = $1::int4)))
      ORDER BY _11."id"), (SELECT row(count(*))
      FROM "public"."team_users"(_9.*) AS _12
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_12."team_id")
            AND "m"."user_id" = $1::int4)))), null::int2
    FROM "public"."teams" AS _9
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_9."id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY (SELECT count(*)
      FROM "public"."team_users"(_9.*) AS _10
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_10."team_id")
            AND "m"."user_id" = $1::int4)))) DESC
    LIMIT 2) UNION ALL SELECT 3::int2, null::int4, null::text, null::int8, null::bool, null::record[], null::record, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
-- _4 public.or"ders: permissions.toml:121: member_of(team_id)
-- _6 public.or"ders: permissions.toml:121: member_of(team_id)
-- _7 public.users: permissions.toml:54: member_of(team_id)
-- _11 public.users: permissions.toml:54: member_of(team_id)
-- _12 public.users: permissions.toml:54: member_of(team_id)
-- _9 public.teams: permissions.toml:33: member_of(id)
-- _10 public.users: permissions.toml:54: member_of(team_id)

-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", "public"."user_label"(_2.*), null::int8, null::bool, null::record[], null::record, null::int2
    FROM "public"."users" AS _2
    ORDER BY (SELECT count(*)
      FROM "public"."user_orders"(_2.*) AS _3) DESC, (SELECT max(_4."Total Amount")
      FROM "public"."user_orders"(_2.*) AS _4), "public"."user_label"(_2.*)
    LIMIT 3) UNION ALL (SELECT 1::int2, null::int4, "public"."user_label"(_7.*), _6."id", _7."id" IS NOT NULL, null::record[], null::record, null::int2
    FROM "public"."or""ders" AS _6
    LEFT JOIN "public"."users" AS _7 ON _7."id" = _6."user_id"
    ORDER BY "public"."user_label"(_7.*) DESC NULLS LAST, _6."id"
    LIMIT 2) UNION ALL (SELECT 2::int2, _9."id", null::text, null::int8, null::bool, array(SELECT row(_11."id", "public"."user_label"(_11.*))
      FROM "public"."team_users"(_9.*) AS _11
      ORDER BY _11."id"), (SELECT row(count(*))
      FROM "public"."team_users"(_9.*) AS _12), null::int2
    FROM "public"."teams" AS _9
    ORDER BY (SELECT count(*)
      FROM "public"."team_users"(_9.*) AS _10) DESC
    LIMIT 2) UNION ALL SELECT 3::int2, null::int4, null::text, null::int8, null::bool, null::record[], null::record, _0.c0
  FROM _0;
-- _2 public.users: every row
-- _3 public.or"ders: every row
-- _4 public.or"ders: every row
-- _6 public.or"ders: every row
-- _7 public.users: every row
-- _11 public.users: every row
-- _12 public.users: every row
-- _9 public.teams: every row
-- _10 public.users: every row
