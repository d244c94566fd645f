-- role: customer
SELECT _0."id"
  FROM "public"."or""ders" AS _0
  WHERE (_0."user_id" = $1::int4)
  AND (_0."id" > $2::int8)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: value 0 of the cursor $.selectionSet.orders.args.after
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
