-- role: customer
SELECT (SELECT row(count(*))
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)), (SELECT row(count(*))
    FROM (SELECT _2."id"
      FROM "public"."or""ders" AS _2
      WHERE (_2."user_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM "public"."order_lines" AS _3
      WHERE (((_3."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _3."order_id" = _2."id"
      AND _3."quantity" > $2::int4)), (SELECT row(count(*))
    FROM (SELECT
      FROM "public"."products" AS _6
      WHERE (NOT _6."hidden")
      LIMIT 1) AS _6);
-- $1: session value user_id, Int
-- $2: "0" of the document
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.order_lines: permissions.toml:131: own_order(order_id)
-- _6 public.products: permissions.toml:74: NOT hidden
