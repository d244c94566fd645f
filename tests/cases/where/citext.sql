-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE _0."email" OPERATOR("ext".=) $1::text::"ext"."citext"), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE _1."email" OPERATOR("ext".=) ANY ($2::text::"ext"."citext"[])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    WHERE _2."email" OPERATOR("ext".<>) ALL ($3::text::"ext"."citext"[])
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."users" AS _3
    WHERE _3."email" OPERATOR("ext".>) $4::text::"ext"."citext"
    ORDER BY _3."id"), array(SELECT row(_4."email"::text)
    FROM "public"."users" AS _4
    ORDER BY _4."email" DESC NULLS LAST), array(SELECT DISTINCT ON (_5."email") row(_5."email"::text)
    FROM "public"."users" AS _5
    ORDER BY _5."email");
-- $1: "ADA@EXAMPLE.ORG" of the document
-- $2: "{\"ADA@EXAMPLE.ORG\",\"BOB@example.org\"}" of the document
-- $3: "{\"ADA@EXAMPLE.ORG\"}" of the document
-- $4: "b" of the document
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.users: every row
-- _3 public.users: every row
-- _4 public.users: every row
-- _5 public.users: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)
    AND _0."email" OPERATOR("ext".=) $2::text::"ext"."citext"), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE (_1."id" = $1::int4)
    AND _1."email" OPERATOR("ext".=) ANY ($3::text::"ext"."citext"[])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    AND _2."email" OPERATOR("ext".<>) ALL ($4::text::"ext"."citext"[])
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."users" AS _3
    WHERE (_3."id" = $1::int4)
    AND _3."email" OPERATOR("ext".>) $5::text::"ext"."citext"
    ORDER BY _3."id"), array(SELECT row(_4."email"::text)
    FROM "public"."users" AS _4
    WHERE (_4."id" = $1::int4)
    ORDER BY _4."email" DESC NULLS LAST), array(SELECT DISTINCT ON (_5."email") row(_5."email"::text)
    FROM "public"."users" AS _5
    WHERE (_5."id" = $1::int4)
    ORDER BY _5."email");
-- $1: session value user_id, Int
-- $2: "ADA@EXAMPLE.ORG" of the document
-- $3: "{\"ADA@EXAMPLE.ORG\",\"BOB@example.org\"}" of the document
-- $4: "{\"ADA@EXAMPLE.ORG\"}" of the document
-- $5: "b" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
