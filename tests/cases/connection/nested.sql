-- role: customer
SELECT _0."id", array(SELECT row(_1."line_no", _2."id" IS NOT NULL, _2."title")
    FROM (SELECT _1."order_id", _1."line_no", _1."product_id"
      FROM "public"."order_lines" AS _1
      WHERE (((_1."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _1."order_id" = _0."id"
      ORDER BY _1."order_id", _1."line_no"
      LIMIT 1 + 1) AS _1
    LEFT JOIN "public"."products" AS _2 ON _2."id" = _1."product_id"
    AND (NOT _2."hidden")
    ORDER BY _1."order_id", _1."line_no"), 1::int8
  FROM "public"."or""ders" AS _0
  WHERE (_0."user_id" = $1::int4)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _1 public.order_lines: permissions.toml:131: own_order(order_id)
-- _2 public.products: permissions.toml:74: NOT hidden
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
