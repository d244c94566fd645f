-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    ORDER BY _0."name" DESC, _0."id" DESC), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    ORDER BY _1."name" DESC, _1."id" DESC), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    ORDER BY _2."mood", _2."name", _2."id" DESC), (SELECT row(count(*))
    FROM "public"."teams" AS _3), (SELECT row(count(*))
    FROM "public"."teams" AS _4), array(SELECT row(_5."id")
    FROM "public"."users" AS _5
    ORDER BY _5."id" DESC), array(SELECT row(_6."id")
    FROM "public"."users" AS _6
    ORDER BY _6."id" DESC);
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.users: every row
-- _3 public.teams: every row
-- _4 public.teams: every row
-- _5 public.users: every row
-- _6 public.users: every row
