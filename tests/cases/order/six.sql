-- role: admin
SELECT array(SELECT row(_0."id", _0."score")
    FROM "public"."users" AS _0
    ORDER BY _0."score", _0."id"), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    ORDER BY _1."score" NULLS FIRST, _1."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    ORDER BY _2."score", _2."id"), array(SELECT row(_3."id")
    FROM "public"."users" AS _3
    ORDER BY _3."score" DESC, _3."id"), array(SELECT row(_4."id")
    FROM "public"."users" AS _4
    ORDER BY _4."score" DESC, _4."id"), array(SELECT row(_5."id")
    FROM "public"."users" AS _5
    ORDER BY _5."score" DESC NULLS LAST, _5."id");
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.users: every row
-- _3 public.users: every row
-- _4 public.users: every row
-- _5 public.users: every row
