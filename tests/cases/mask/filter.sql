-- role: support
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE ((left(_0."email", 1) || '***')::"ext"."citext") OPERATOR("ext".=) $1::text::"ext"."citext"), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE ((left(_1."email", 1) || '***')::"ext"."citext") OPERATOR("ext".~~) $2::text::"ext"."citext"), array(SELECT row(_2."id", ((left(_2."email", 1) || '***')::"ext"."citext")::text)
    FROM "public"."users" AS _2
    WHERE ((left(_2."email", 1) || '***')::"ext"."citext") OPERATOR("ext".=) $3::text::"ext"."citext"
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."users" AS _3
    WHERE ((round(_3."score"))::float8) > $4::float8
    AND ((round(_3."score"))::float8) < $5::float8), array(SELECT row(_4."id")
    FROM "public"."users" AS _4
    WHERE ((round(_4."score"))::float8) = $6::float8);
-- $1: "ada@example.org" of the document
-- $2: "%example%" of the document
-- $3: "a***" of the document
-- $4: "1.4" of the document
-- $5: "1.6" of the document
-- $6: "2" of the document
-- _0 public.users: permissions.toml:250: true
-- _1 public.users: permissions.toml:250: true
-- _2 public.users: permissions.toml:250: true
-- _3 public.users: permissions.toml:250: true
-- _4 public.users: permissions.toml:250: true
