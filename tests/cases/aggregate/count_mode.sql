-- role: admin
SELECT (SELECT row(count(*))
    FROM "public"."or""ders" AS _0), (SELECT row(CASE WHEN $1::int8 > 10000 THEN $1::int8 ELSE (SELECT count(*)
        FROM "public"."or""ders" AS _2
        WHERE _2."status" = $2::text::"public"."Order Status") END, count(*))
    FROM "public"."or""ders" AS _1
    WHERE _1."status" = $2::text::"public"."Order Status");
-- $1: the planner's answer to question 0
-- $2: "open" of the document
-- _0 public.or"ders: every row
-- _2 public.or"ders: every row
-- _1 public.or"ders: every row

-- role: customer
SELECT (SELECT row(count(*))
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)), (SELECT row(count(*), count(*))
    FROM "public"."or""ders" AS _1
    WHERE (_1."user_id" = $1::int4)
    AND _1."status" = $2::text::"public"."Order Status");
-- $1: session value user_id, Int
-- $2: "open" of the document
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: auditor
SELECT (SELECT row(count(*))
    FROM "public"."or""ders" AS _0), (SELECT row(CASE WHEN $1::int8 > 10000 THEN $1::int8 ELSE (SELECT count(*)
        FROM "public"."or""ders" AS _2
        WHERE _2."status" = $2::text::"public"."Order Status") END, count(*))
    FROM "public"."or""ders" AS _1
    WHERE _1."status" = $2::text::"public"."Order Status");
-- $1: the planner's answer to question 0
-- $2: "open" of the document
-- _0 public.or"ders: permissions.toml:124: true
-- _2 public.or"ders: permissions.toml:124: true
-- _1 public.or"ders: permissions.toml:124: true
