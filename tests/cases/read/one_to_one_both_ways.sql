-- role: admin
SELECT array(SELECT row(_0."id", _1."user_id" IS NOT NULL, _1."number")
    FROM "public"."users" AS _0
    LEFT JOIN "public"."passports" AS _1 ON _1."user_id" = _0."id"
    ORDER BY _0."id"), array(SELECT row(_2."number", _3."id" IS NOT NULL, _3."id")
    FROM "public"."passports" AS _2
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _2."user_id"
    ORDER BY _2."number");
-- _0 public.users: every row
-- _1 public.passports: every row
-- _2 public.passports: every row
-- _3 public.users: every row
