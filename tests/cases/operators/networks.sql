-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE _0."address" >>= $1::inet
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE _1."address" <<= $2::inet
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE _2."block" >>= $3::cidr
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE _3."block" >>= $4::cidr
    ORDER BY _3."id");
-- $1: "10.0.0.1" of the document
-- $2: "10.0.0.0/8" of the document
-- $3: "10.1.2.0/24" of the document
-- $4: "10.1.2.3" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row
-- _3 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND _0."address" >>= $2::inet
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND _1."address" <<= $3::inet
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."block" >>= $4::cidr
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."block" >>= $5::cidr
    ORDER BY _3."id");
-- $1: session value user_id, Int
-- $2: "10.0.0.1" of the document
-- $3: "10.0.0.0/8" of the document
-- $4: "10.1.2.0/24" of the document
-- $5: "10.1.2.3" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
