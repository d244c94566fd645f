-- role: admin
SELECT _0."id", array(SELECT row(_1."id", _1."placed_on", _2."id" IS NOT NULL, _2."id", array(SELECT row(_3."line_no")
        FROM "public"."order_lines" AS _3
        WHERE _3."order_id" = _1."id"
        ORDER BY _3."line_no"))
    FROM (SELECT DISTINCT ON (_1."placed_on") _1."id", _1."user_id", _1."placed_on", _1."parent_id"
      FROM "public"."or""ders" AS _1
      WHERE _1."user_id" = _0."id"
      ORDER BY _1."placed_on", _1."id" DESC) AS _1
    LEFT JOIN "public"."or""ders" AS _2 ON _2."id" = _1."parent_id"
    ORDER BY _1."placed_on", _1."id" DESC)
  FROM "public"."users" AS _0
  ORDER BY _0."id";
-- _3 public.order_lines: every row
-- _1 public.or"ders: every row
-- _2 public.or"ders: every row
-- _0 public.users: every row
