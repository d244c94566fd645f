-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    ORDER BY _0."id" DESC
    LIMIT 2 + 1), 2::int8;
-- _0 public.or"ders: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)
    ORDER BY _0."id" DESC
    LIMIT 2 + 1), 2::int8;
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: auditor
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    ORDER BY _0."id" DESC
    LIMIT 2 + 1), 2::int8;
-- _0 public.or"ders: permissions.toml:124: true
