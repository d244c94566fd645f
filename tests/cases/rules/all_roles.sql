-- role: admin
SELECT _0."title"
  FROM "public"."products" AS _0
  ORDER BY _0."id";
-- _0 public.products: every row

-- role: public
SELECT _0."title"
  FROM "public"."products" AS _0
  WHERE (NOT _0."hidden")
  ORDER BY _0."id";
-- _0 public.products: permissions.toml:71: NOT hidden

-- role: customer
SELECT _0."title"
  FROM "public"."products" AS _0
  WHERE (NOT _0."hidden")
  ORDER BY _0."id";
-- _0 public.products: permissions.toml:74: NOT hidden

-- role: staff
SELECT _0."title"
  FROM "public"."products" AS _0
  ORDER BY _0."id";
-- _0 public.products: permissions.toml:77: true

-- role: auditor
SELECT _0."title"
  FROM "public"."products" AS _0
  ORDER BY _0."id"
  LIMIT 3;
-- _0 public.products: permissions.toml:80: true
