-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE _0."id" = $1::int4), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE _1."id" <> $1::int4
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    WHERE _2."id" > $1::int4
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."users" AS _3
    WHERE _3."id" >= $1::int4
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."users" AS _4
    WHERE _4."id" < $1::int4
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."users" AS _5
    WHERE _5."id" <= $1::int4
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."users" AS _6
    WHERE _6."id" = ANY ($2::int4[])
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."users" AS _7
    WHERE _7."id" <> ALL ($2::int4[])
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."users" AS _8
    WHERE _8."id" > $3::int4
    AND _8."id" < $4::int4
    AND _8."id" <> $1::int4
    ORDER BY _8."id");
-- $1: "2" of the document
-- $2: "{\"2\",\"3\",\"99\"}" of the document
-- $3: "1" of the document
-- $4: "4" of the document
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.users: every row
-- _3 public.users: every row
-- _4 public.users: every row
-- _5 public.users: every row
-- _6 public.users: every row
-- _7 public.users: every row
-- _8 public.users: every row
