-- role: admin
SELECT (_0."status")::text, (_0."id")::text, _0."id"
  FROM "public"."or""ders" AS _0
  ORDER BY _0."status" DESC, _0."id"
  LIMIT 2;
-- _0 public.or"ders: every row

-- role: customer
SELECT (_0."status")::text, (_0."id")::text, _0."id"
  FROM "public"."or""ders" AS _0
  WHERE (_0."user_id" = $1::int4)
  ORDER BY _0."status" DESC, _0."id"
  LIMIT 2;
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: auditor
SELECT (_0."status")::text, (_0."id")::text, _0."id"
  FROM "public"."or""ders" AS _0
  ORDER BY _0."status" DESC, _0."id"
  LIMIT 2;
-- _0 public.or"ders: permissions.toml:124: true
