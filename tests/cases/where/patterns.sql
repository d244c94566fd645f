-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."title", null::int4, null::bpchar, null::int2
    FROM "public"."products" AS _2
    WHERE _2."title" ~~ $1::text
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."title", null::int4, null::bpchar, null::int2
    FROM "public"."products" AS _4
    WHERE _4."title" !~~ $1::text
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."title", null::int4, null::bpchar, null::int2
    FROM "public"."products" AS _6
    WHERE _6."title" ~~* $2::text
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."title", null::int4, null::bpchar, null::int2
    FROM "public"."products" AS _8
    WHERE _8."title" !~~* $2::text
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."title", null::int4, null::bpchar, null::int2
    FROM "public"."products" AS _10
    WHERE _10."title" ~~ $3::text) UNION ALL (SELECT 5::int2, _12."title", null::int4, null::bpchar, null::int2
    FROM "public"."products" AS _12
    WHERE _12."title" ~~ $4::text) UNION ALL (SELECT 6::int2, _14."sku", null::int4, null::bpchar, null::int2
    FROM "public"."products" AS _14
    WHERE _14."sku" ~~ $5::text
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."sku", null::int4, null::bpchar, null::int2
    FROM "public"."products" AS _16
    WHERE _16."sku" ~~* $6::text
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, null::text, _18."id", _18."a_char", null::int2
    FROM "public"."specimens" AS _18
    WHERE _18."a_char" ~~* $7::bpchar
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, null::text, _20."id", null::bpchar, null::int2
    FROM "public"."shipments" AS _20
    WHERE _20."carrier" ~~ $8::varchar
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."email"::text, null::int4, null::bpchar, null::int2
    FROM "public"."users" AS _22
    WHERE _22."email" OPERATOR("ext".~~) $9::text::"ext"."citext"
    ORDER BY _22."id") UNION ALL SELECT 11::int2, null::text, null::int4, null::bpchar, _0.c0
  FROM _0;
-- $1: "%pen" of the document
-- $2: "%PEN" of the document
-- $3: "100\\%\\_sure\\\\" of the document
-- $4: "%\"%" of the document
-- $5: "AB-_" of the document
-- $6: "ab-_" of the document
-- $7: "A%" of the document
-- $8: "P%" of the document
-- $9: "ADA%" of the document
-- _2 public.products: every row
-- _4 public.products: every row
-- _6 public.products: every row
-- _8 public.products: every row
-- _10 public.products: every row
-- _12 public.products: every row
-- _14 public.products: every row
-- _16 public.products: every row
-- _18 public.specimens: every row
-- _20 public.shipments: every row
-- _22 public.users: every row
