-- role: admin
SELECT _0."id", _0."name"
  FROM "public"."users" AS _0
  ORDER BY _0."id";
-- _0 public.users: every row

-- role: customer
SELECT _0."id", _0."name"
  FROM "public"."users" AS _0
  WHERE (_0."id" = $1::int4)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: id = session.user_id

-- role: staff
SELECT _0."id", _0."name"
  FROM "public"."users" AS _0
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."team_id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:54: member_of(team_id)

-- role: auditor
SELECT _0."id", _0."name"
  FROM "public"."users" AS _0
  ORDER BY _0."id"
  LIMIT 3;
-- _0 public.users: permissions.toml:57: true
