-- role: customer
SELECT _0."id", "public"."user_label"(_0.*)
  FROM "public"."users" AS _0
  WHERE (_0."id" = $1::int4)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: id = session.user_id

-- role: staff
SELECT _0."id", "public"."user_label"(_0.*)
  FROM "public"."users" AS _0
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."team_id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:54: member_of(team_id)

-- role: admin
SELECT _0."id", "public"."user_label"(_0.*)
  FROM "public"."users" AS _0
  ORDER BY _0."id";
-- _0 public.users: every row
