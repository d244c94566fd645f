-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    ORDER BY _0."id"
    LIMIT $1::int8
    OFFSET $2::int8), (SELECT row(count(*))
    FROM (SELECT
      FROM "public"."or""ders" AS _1
      LIMIT $3::int8) AS _1);
-- $1: $.selectionSet.orders.args.limit of the request, Int, not negative, a count
-- $2: $.selectionSet.orders.args.offset of the request, Int, not negative, a count
-- $3: $.selectionSet.ordersAggregate.args.limit of the request, Int, not negative, a count
-- _0 public.or"ders: every row
-- _1 public.or"ders: every row

-- role: auditor
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    ORDER BY _0."id"
    LIMIT least(3, $1::int8)
    OFFSET $2::int8), (SELECT row(count(*))
    FROM (SELECT
      FROM "public"."or""ders" AS _1
      LIMIT $3::int8) AS _1);
-- $1: $.selectionSet.orders.args.limit of the request, Int, not negative, a count
-- $2: $.selectionSet.orders.args.offset of the request, Int, not negative, a count
-- $3: $.selectionSet.ordersAggregate.args.limit of the request, Int, not negative, a count
-- _0 public.or"ders: permissions.toml:124: true
-- _1 public.or"ders: permissions.toml:124: true
