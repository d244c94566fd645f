-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _1 (c0, c1, c2, c3, c4) AS MATERIALIZED (SELECT _2."order_id", _3."id" IS NOT NULL, _3."placed_on", _3."user_id", _3."id"
    FROM (SELECT _2."order_id", _2."line_no"
      FROM "public"."order_lines" AS _2
      ORDER BY _2."order_id", _2."line_no"
      LIMIT 1) AS _2
    LEFT JOIN "public"."or""ders" AS _3 ON _3."id" = _2."order_id"
    ORDER BY _2."order_id", _2."line_no") (SELECT 0::int2, _5."line_no", _5."order_id", null::bool, null::date, null::int4, null::int8
    FROM "public"."order_lines" AS _5
    WHERE _5."order_id" = ANY (array(SELECT _1.c4
        FROM _1))
    ORDER BY _5."line_no") UNION ALL SELECT 1::int2, null::int2, _1.c0, _1.c1, _1.c2, _1.c3, _1.c4
  FROM _1 UNION ALL (SELECT 2::int2, null::int2, null::int8, null::bool, null::date, _7."user_id", null::int8
    FROM "back"."secrets" AS _7) UNION ALL SELECT 3::int2, _0.c0, null::int8, null::bool, null::date, null::int4, null::int8
  FROM _0;
-- _2 public.order_lines: every row
-- _3 public.or"ders: every row
-- _5 public.order_lines: every row
-- _7 back.secrets: every row
