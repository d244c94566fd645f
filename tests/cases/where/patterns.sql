-- role: admin
SELECT array(SELECT row(_0."title")
    FROM "public"."products" AS _0
    WHERE _0."title" ~~ $1::text
    ORDER BY _0."id"), array(SELECT row(_1."title")
    FROM "public"."products" AS _1
    WHERE _1."title" !~~ $1::text
    ORDER BY _1."id"), array(SELECT row(_2."title")
    FROM "public"."products" AS _2
    WHERE _2."title" ~~* $2::text
    ORDER BY _2."id"), array(SELECT row(_3."title")
    FROM "public"."products" AS _3
    WHERE _3."title" !~~* $2::text
    ORDER BY _3."id"), array(SELECT row(_4."title")
    FROM "public"."products" AS _4
    WHERE _4."title" ~~ $3::text), array(SELECT row(_5."title")
    FROM "public"."products" AS _5
    WHERE _5."title" ~~ $4::text), array(SELECT row(_6."sku")
    FROM "public"."products" AS _6
    WHERE _6."sku" ~~ $5::text
    ORDER BY _6."id"), array(SELECT row(_7."sku")
    FROM "public"."products" AS _7
    WHERE _7."sku" ~~* $6::text
    ORDER BY _7."id"), array(SELECT row(_8."id", _8."a_char")
    FROM "public"."specimens" AS _8
    WHERE _8."a_char" ~~* $7::bpchar
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."shipments" AS _9
    WHERE _9."carrier" ~~ $8::varchar
    ORDER BY _9."id"), array(SELECT row(_10."email"::text)
    FROM "public"."users" AS _10
    WHERE _10."email" OPERATOR("ext".~~) $9::text::"ext"."citext"
    ORDER BY _10."id");
-- $1: "%pen" of the document
-- $2: "%PEN" of the document
-- $3: "100\\%\\_sure\\\\" of the document
-- $4: "%\"%" of the document
-- $5: "AB-_" of the document
-- $6: "ab-_" of the document
-- $7: "A%" of the document
-- $8: "P%" of the document
-- $9: "ADA%" of the document
-- _0 public.products: every row
-- _1 public.products: every row
-- _2 public.products: every row
-- _3 public.products: every row
-- _4 public.products: every row
-- _5 public.products: every row
-- _6 public.products: every row
-- _7 public.products: every row
-- _8 public.specimens: every row
-- _9 public.shipments: every row
-- _10 public.users: every row
