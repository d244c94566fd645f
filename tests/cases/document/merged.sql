-- role: admin
SELECT _0."name", array(SELECT row(_1."id", _1."Total Amount", array(SELECT row(_2."line_no")
        FROM "public"."order_lines" AS _2
        WHERE _2."order_id" = _1."id"
        ORDER BY _2."line_no"))
    FROM "public"."or""ders" AS _1
    WHERE _1."user_id" = _0."id"
    ORDER BY _1."id"), _0."id", _3."id" IS NOT NULL, _3."id", _3."name", (SELECT row(count(*), max(_4."id"), array(SELECT row(_5."id")
        FROM "public"."or""ders" AS _5
        WHERE _5."user_id" = _0."id"))
    FROM "public"."or""ders" AS _4
    WHERE _4."user_id" = _0."id")
  FROM (SELECT _0."id", _0."name", _0."team_id"
    FROM "public"."users" AS _0
    ORDER BY _0."id"
    LIMIT 1) AS _0
  LEFT JOIN "public"."teams" AS _3 ON _3."id" = _0."team_id"
  ORDER BY _0."id";
-- _2 public.order_lines: every row
-- _1 public.or"ders: every row
-- _5 public.or"ders: every row
-- _4 public.or"ders: every row
-- _0 public.users: every row
-- _3 public.teams: every row
