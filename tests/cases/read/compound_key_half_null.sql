-- role: admin
SELECT _0."id", _1."order_id" IS NOT NULL, _1."order_id", _1."line_no", _1."quantity"
  FROM "public"."shipments" AS _0
  LEFT JOIN "public"."order_lines" AS _1 ON _1."order_id" = _0."order_id"
  AND _1."line_no" = _0."line_no"
  ORDER BY _0."id";
-- _0 public.shipments: every row
-- _1 public.order_lines: every row

-- role: customer
SELECT _0."id", _1."order_id" IS NOT NULL, _1."order_id", _1."line_no", _1."quantity"
  FROM "public"."shipments" AS _0
  LEFT JOIN "public"."order_lines" AS _1 ON _1."order_id" = _0."order_id"
  AND _1."line_no" = _0."line_no"
  AND (((_1."order_id") IN (SELECT "o"."id"
        FROM "public"."or""ders" AS "o"
        WHERE "o"."user_id" = $1::int4)))
  WHERE (((_0."order_id") IN (SELECT "o"."id"
        FROM "public"."or""ders" AS "o"
        WHERE "o"."user_id" = $1::int4)))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.shipments: permissions.toml:140: own_order(order_id)
-- _1 public.order_lines: permissions.toml:131: own_order(order_id)
