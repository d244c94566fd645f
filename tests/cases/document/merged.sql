-- role: admin
WITH _0 (c0, c1, c2, c3, c4, c5) AS MATERIALIZED (SELECT _1."name", _1."id", _6."id" IS NOT NULL, _6."id", _6."name", (SELECT row(count(*), max(_7."id"), array(SELECT row(_8."id")
          FROM "public"."or""ders" AS _8
          WHERE _8."user_id" = _1."id"))
      FROM "public"."or""ders" AS _7
      WHERE _7."user_id" = _1."id")
    FROM (SELECT _1."id", _1."name", _1."team_id"
      FROM "public"."users" AS _1
      ORDER BY _1."id"
      LIMIT 1) AS _1
    LEFT JOIN "public"."teams" AS _6 ON _6."id" = _1."team_id"
    ORDER BY _1."id"), _2 (c0, c1, c2) AS MATERIALIZED (SELECT _3."id", _3."Total Amount", _3."user_id"
    FROM "public"."or""ders" AS _3
    WHERE _3."user_id" = ANY (array(SELECT _0.c1
        FROM _0))
    ORDER BY _3."id") (SELECT 0::int2, _5."line_no", _5."order_id", null::numeric, null::int4, null::text, null::bool, null::int4, null::text, null::record
    FROM "public"."order_lines" AS _5
    WHERE _5."order_id" = ANY (array(SELECT _2.c0
        FROM _2))
    ORDER BY _5."line_no") UNION ALL SELECT 1::int2, null::int2, _2.c0, _2.c1, _2.c2, null::text, null::bool, null::int4, null::text, null::record
  FROM _2 UNION ALL SELECT 2::int2, null::int2, null::int8, null::numeric, _0.c1, _0.c0, _0.c2, _0.c3, _0.c4, _0.c5
  FROM _0;
-- _8 public.or"ders: every row
-- _7 public.or"ders: every row
-- _1 public.users: every row
-- _6 public.teams: every row
-- _3 public.or"ders: every row
-- _5 public.order_lines: every row
