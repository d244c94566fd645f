-- role: admin
SELECT _0."id", _1."id" IS NOT NULL, _1."id", (SELECT row(count(*))
    FROM "public"."order_lines" AS _2
    WHERE _2."order_id" = _1."id"), _3."id" IS NOT NULL, (SELECT row(count(*), max(_4."name"))
    FROM "public"."users" AS _4
    WHERE _4."team_id" = _3."id")
  FROM (SELECT _0."id", _0."team_id", _0."parent_id"
    FROM "public"."or""ders" AS _0
    ORDER BY _0."id"
    LIMIT 3) AS _0
  LEFT JOIN "public"."or""ders" AS _1 ON _1."id" = _0."parent_id"
  LEFT JOIN "public"."teams" AS _3 ON _3."id" = _0."team_id"
  ORDER BY _0."id";
-- _2 public.order_lines: every row
-- _4 public.users: every row
-- _0 public.or"ders: every row
-- _1 public.or"ders: every row
-- _3 public.teams: every row
