-- role: admin
SELECT array(SELECT row(_0."order_id", _1."id" IS NOT NULL, _1."placed_on", _1."user_id", array(SELECT row(_2."line_no")
        FROM "public"."order_lines" AS _2
        WHERE _2."order_id" = _1."id"
        ORDER BY _2."line_no"))
    FROM (SELECT _0."order_id", _0."line_no"
      FROM "public"."order_lines" AS _0
      ORDER BY _0."order_id", _0."line_no"
      LIMIT 1) AS _0
    LEFT JOIN "public"."or""ders" AS _1 ON _1."id" = _0."order_id"
    ORDER BY _0."order_id", _0."line_no"), array(SELECT row(_3."user_id")
    FROM "back"."secrets" AS _3);
-- _2 public.order_lines: every row
-- _0 public.order_lines: every row
-- _1 public.or"ders: every row
-- _3 back.secrets: every row
