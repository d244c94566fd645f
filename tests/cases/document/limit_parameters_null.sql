-- role: admin
SELECT _0."id"
  FROM "public"."or""ders" AS _0
  ORDER BY _0."id"
  LIMIT $1::int8
  OFFSET $2::int8;
-- $1: $.selectionSet.orders.args.limit of the request, Int, not negative, a count
-- $2: $.selectionSet.orders.args.offset of the request, Int, not negative, a count
-- _0 public.or"ders: every row

-- role: auditor
SELECT _0."id"
  FROM "public"."or""ders" AS _0
  ORDER BY _0."id"
  LIMIT least(3, $1::int8)
  OFFSET $2::int8;
-- $1: $.selectionSet.orders.args.limit of the request, Int, not negative, a count
-- $2: $.selectionSet.orders.args.offset of the request, Int, not negative, a count
-- _0 public.or"ders: permissions.toml:124: true
