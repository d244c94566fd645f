-- role: admin
SELECT _0."id"
  FROM "public"."users" AS _0
  LEFT JOIN "public"."users" AS _3 ON _3."id" = _0."manager_id"
  ORDER BY (SELECT count(*)
    FROM "public"."or""ders" AS _1
    WHERE _1."user_id" = _0."id") DESC, (SELECT count(*)
    FROM "public"."users" AS _2
    WHERE _2."manager_id" = _0."id"), (SELECT max(_4."id")
    FROM "public"."or""ders" AS _4
    WHERE _4."user_id" = _3."id") DESC NULLS LAST, _0."id";
-- _0 public.users: every row
-- _3 public.users: every row
-- _1 public.or"ders: every row
-- _2 public.users: every row
-- _4 public.or"ders: every row

-- role: customer
SELECT _0."id"
  FROM "public"."users" AS _0
  LEFT JOIN "public"."users" AS _3 ON _3."id" = _0."manager_id"
  AND (_3."id" = $1::int4)
  WHERE (_0."id" = $1::int4)
  ORDER BY (SELECT count(*)
    FROM "public"."or""ders" AS _1
    WHERE (_1."user_id" = $1::int4)
    AND _1."user_id" = _0."id") DESC, (SELECT count(*)
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    AND _2."manager_id" = _0."id"), (SELECT max(_4."id")
    FROM "public"."or""ders" AS _4
    WHERE (_4."user_id" = $1::int4)
    AND _4."user_id" = _3."id") DESC NULLS LAST, _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: staff
SELECT _0."id"
  FROM "public"."users" AS _0
  LEFT JOIN "public"."users" AS _3 ON _3."id" = _0."manager_id"
  AND ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_3."team_id")
        AND "m"."user_id" = $1::int4)))
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."team_id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY (SELECT count(*)
    FROM "public"."or""ders" AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _1."user_id" = _0."id") DESC, (SELECT count(*)
    FROM "public"."users" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _2."manager_id" = _0."id"), (SELECT max(_4."id")
    FROM "public"."or""ders" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _4."user_id" = _3."id") DESC NULLS LAST, _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.or"ders: permissions.toml:121: member_of(team_id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _4 public.or"ders: permissions.toml:121: member_of(team_id)
