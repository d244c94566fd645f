-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE _0."nick" = $1::text
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE _1."nick" <> $1::text
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    WHERE NOT (((_2."nick" = $1::text)))
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."users" AS _3
    WHERE _3."nick" = ANY ($2::text[])
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."users" AS _4
    WHERE _4."nick" <> ALL ($2::text[])
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."users" AS _5
    WHERE _5."mood" = ANY ($3::text::"public"."mood"[])
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."users" AS _6
    WHERE _6."mood" <> ALL ($4::text::"public"."mood"[])
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."users" AS _7
    WHERE _7."mood" IS NULL
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."users" AS _8
    WHERE _8."mood" IS NOT NULL
    ORDER BY _8."id");
-- $1: "bob" of the document
-- $2: "{}" of the document
-- $3: "{\"happy\",\"sad\"}" of the document
-- $4: "{\"happy\"}" of the document
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.users: every row
-- _3 public.users: every row
-- _4 public.users: every row
-- _5 public.users: every row
-- _6 public.users: every row
-- _7 public.users: every row
-- _8 public.users: every row
