-- role: admin
SELECT DISTINCT ON (_0."user_id") _0."id", _0."user_id", _2."id" IS NOT NULL, _2."name", array(SELECT row(_3."line_no")
    FROM "public"."order_lines" AS _3
    WHERE _3."order_id" = _0."id"
    ORDER BY _3."line_no")
  FROM "public"."or""ders" AS _0
  LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
  LEFT JOIN "public"."users" AS _2 ON _2."id" = _0."user_id"
  ORDER BY _0."user_id", _1."name" DESC, _0."id";
-- _3 public.order_lines: every row
-- _0 public.or"ders: every row
-- _1 public.teams: every row
-- _2 public.users: every row
