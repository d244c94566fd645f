-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE _0."span" OPERATOR(pg_catalog.@>) $1::int4range
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE _1."span" OPERATOR(pg_catalog.@>) $2::int4
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE _2."span" OPERATOR(pg_catalog.<@) $3::int4range
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE _3."span" OPERATOR(pg_catalog.&&) $4::int4range
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE _4."span" OPERATOR(pg_catalog.<<) $5::int4range
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE _5."span" OPERATOR(pg_catalog.>>) $6::int4range
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE _6."span" OPERATOR(pg_catalog.&>) $1::int4range
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE _7."span" OPERATOR(pg_catalog.&<) $7::int4range
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE _8."span" OPERATOR(pg_catalog.-|-) $8::int4range
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    WHERE _9."spans" OPERATOR(pg_catalog.@>) $9::int4multirange
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."items" AS _10
    WHERE _10."spans" OPERATOR(pg_catalog.&&) $10::int4multirange
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."items" AS _11
    WHERE _11."custom" OPERATOR(pg_catalog.@>) $11::numeric
    ORDER BY _11."id");
-- $1: "[2,3)" of the document
-- $2: "5" of the document
-- $3: "[0,6)" of the document
-- $4: "[4,6)" of the document
-- $5: "[5,)" of the document
-- $6: "(,3]" of the document
-- $7: "[2,5)" of the document
-- $8: "[9,10)" of the document
-- $9: "{[5,6)}" of the document
-- $10: "{[2,3),[100,200)}" of the document
-- $11: "2" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row
-- _3 public.items: every row
-- _4 public.items: every row
-- _5 public.items: every row
-- _6 public.items: every row
-- _7 public.items: every row
-- _8 public.items: every row
-- _9 public.items: every row
-- _10 public.items: every row
-- _11 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND _0."span" OPERATOR(pg_catalog.@>) $2::int4range
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND _1."span" OPERATOR(pg_catalog.@>) $3::int4
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."span" OPERATOR(pg_catalog.<@) $4::int4range
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."span" OPERATOR(pg_catalog.&&) $5::int4range
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."span" OPERATOR(pg_catalog.<<) $6::int4range
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE (_5."owner_id" = $1::int4)
    AND _5."span" OPERATOR(pg_catalog.>>) $7::int4range
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."span" OPERATOR(pg_catalog.&>) $2::int4range
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE (_7."owner_id" = $1::int4)
    AND _7."span" OPERATOR(pg_catalog.&<) $8::int4range
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."span" OPERATOR(pg_catalog.-|-) $9::int4range
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    WHERE (_9."owner_id" = $1::int4)
    AND _9."spans" OPERATOR(pg_catalog.@>) $10::int4multirange
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."items" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND _10."spans" OPERATOR(pg_catalog.&&) $11::int4multirange
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."items" AS _11
    WHERE (_11."owner_id" = $1::int4)
    AND _11."custom" OPERATOR(pg_catalog.@>) $12::numeric
    ORDER BY _11."id");
-- $1: session value user_id, Int
-- $2: "[2,3)" of the document
-- $3: "5" of the document
-- $4: "[0,6)" of the document
-- $5: "[4,6)" of the document
-- $6: "[5,)" of the document
-- $7: "(,3]" of the document
-- $8: "[2,5)" of the document
-- $9: "[9,10)" of the document
-- $10: "{[5,6)}" of the document
-- $11: "{[2,3),[100,200)}" of the document
-- $12: "2" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _5 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _7 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _9 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
-- _11 public.items: permissions.toml:315: owner_id = session.user_id
