-- role: customer
SELECT _0."id"
  FROM "public"."users" AS _0
  WHERE (_0."id" = $1::int4);
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: id = session.user_id
