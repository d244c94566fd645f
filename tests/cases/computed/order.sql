-- role: staff
SELECT array(SELECT row(_0."id", "public"."user_label"(_0.*))
    FROM "public"."users" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY (SELECT count(*)
      FROM "public"."user_orders"(_0.*) AS _1
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_1."team_id")
            AND "m"."user_id" = $1::int4)))) DESC, (SELECT max(_2."Total Amount")
      FROM "public"."user_orders"(_0.*) AS _2
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4)))), "public"."user_label"(_0.*)
    LIMIT 3), array(SELECT row(_3."id", _4."id" IS NOT NULL, "public"."user_label"(_4.*))
    FROM "public"."or""ders" AS _3
    LEFT JOIN "public"."users" AS _4 ON _4."id" = _3."user_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY "public"."user_label"(_4.*) DESC NULLS LAST, _3."id"
    LIMIT 2), array(SELECT row(_5."id", array(SELECT row(_7."id", "public"."user_label"(_7.*))
        FROM "public"."team_users"(_5.*) AS _7
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_7."team_id")
              AND "m"."user_id" = $1::int4)))
        ORDER BY _7."id"), (SELECT row(count(*))
        FROM "public"."team_users"(_5.*) AS _8
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_8."team_id")
              AND "m"."user_id" = $1::int4)))))
    FROM "public"."teams" AS _5
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_5."id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY (SELECT count(*)
      FROM "public"."team_users"(_5.*) AS _6
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_6."team_id")
            AND "m"."user_id" = $1::int4)))) DESC
    LIMIT 2);
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.or"ders: permissions.toml:121: member_of(team_id)
-- _2 public.or"ders: permissions.toml:121: member_of(team_id)
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
-- _4 public.users: permissions.toml:54: member_of(team_id)
-- _7 public.users: permissions.toml:54: member_of(team_id)
-- _8 public.users: permissions.toml:54: member_of(team_id)
-- _5 public.teams: permissions.toml:33: member_of(id)
-- _6 public.users: permissions.toml:54: member_of(team_id)

-- role: admin
SELECT array(SELECT row(_0."id", "public"."user_label"(_0.*))
    FROM "public"."users" AS _0
    ORDER BY (SELECT count(*)
      FROM "public"."user_orders"(_0.*) AS _1) DESC, (SELECT max(_2."Total Amount")
      FROM "public"."user_orders"(_0.*) AS _2), "public"."user_label"(_0.*)
    LIMIT 3), array(SELECT row(_3."id", _4."id" IS NOT NULL, "public"."user_label"(_4.*))
    FROM "public"."or""ders" AS _3
    LEFT JOIN "public"."users" AS _4 ON _4."id" = _3."user_id"
    ORDER BY "public"."user_label"(_4.*) DESC NULLS LAST, _3."id"
    LIMIT 2), array(SELECT row(_5."id", array(SELECT row(_7."id", "public"."user_label"(_7.*))
        FROM "public"."team_users"(_5.*) AS _7
        ORDER BY _7."id"), (SELECT row(count(*))
        FROM "public"."team_users"(_5.*) AS _8))
    FROM "public"."teams" AS _5
    ORDER BY (SELECT count(*)
      FROM "public"."team_users"(_5.*) AS _6) DESC
    LIMIT 2);
-- _0 public.users: every row
-- _1 public.or"ders: every row
-- _2 public.or"ders: every row
-- _3 public.or"ders: every row
-- _4 public.users: every row
-- _7 public.users: every row
-- _8 public.users: every row
-- _5 public.teams: every row
-- _6 public.users: every row
