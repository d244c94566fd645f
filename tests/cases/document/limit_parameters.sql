-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*))
      FROM (SELECT
        FROM "public"."or""ders" AS _3
        LIMIT $1::int8) AS _3)) (SELECT 0::int2, _2."id", null::record
    FROM "public"."or""ders" AS _2
    ORDER BY _2."id"
    LIMIT $1::int8
    OFFSET $2::int8) UNION ALL SELECT 1::int2, null::int8, _0.c0
  FROM _0;
-- $1: $.selectionSet.ordersAggregate.args.limit of the request, Int, not negative, a count
-- $2: $.selectionSet.orders.args.offset of the request, Int, not negative, a count
-- _3 public.or"ders: every row
-- _2 public.or"ders: every row

-- role: auditor
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*))
      FROM (SELECT
        FROM "public"."or""ders" AS _3
        LIMIT $1::int8) AS _3)) (SELECT 0::int2, _2."id", null::record
    FROM "public"."or""ders" AS _2
    ORDER BY _2."id"
    LIMIT least(3, $1::int8)
    OFFSET $2::int8) UNION ALL SELECT 1::int2, null::int8, _0.c0
  FROM _0;
-- $1: $.selectionSet.ordersAggregate.args.limit of the request, Int, not negative, a count
-- $2: $.selectionSet.orders.args.offset of the request, Int, not negative, a count
-- _3 public.or"ders: permissions.toml:124: true
-- _2 public.or"ders: permissions.toml:124: true
