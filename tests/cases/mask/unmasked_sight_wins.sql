-- role: desk
SELECT array(SELECT row(_0."id", (CASE WHEN (_0."id" = $1::int4) THEN _0."name" ELSE (CASE WHEN _0."id" = $1::int4 THEN _0."name" ELSE upper(left(_0."name", 1)) END)::text END), (CASE WHEN (_0."id" = $1::int4) THEN _0."email" ELSE (left(_0."email", 1) || '***')::"ext"."citext" END)::text, (CASE WHEN (_0."id" = $1::int4) THEN _0."score" ELSE (round(_0."score"))::float8 END), _1."user_id" IS NOT NULL, (CASE WHEN (_1."user_id" = $1::int4) THEN _1."number" ELSE ('*' || right(_1."number", 1))::text END))
    FROM "public"."users" AS _0
    LEFT JOIN "public"."passports" AS _1 ON _1."user_id" = _0."id"
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    WHERE (CASE WHEN (_2."id" = $1::int4) THEN _2."email" ELSE (left(_2."email", 1) || '***')::"ext"."citext" END) OPERATOR("ext".=) $2::text::"ext"."citext"), array(SELECT row(_3."id")
    FROM "public"."users" AS _3
    WHERE (CASE WHEN (_3."id" = $1::int4) THEN _3."email" ELSE (left(_3."email", 1) || '***')::"ext"."citext" END) OPERATOR("ext".=) $3::text::"ext"."citext");
-- $1: session value user_id, Int
-- $2: "ada@example.org" of the document
-- $3: "bob@example.org" of the document
-- _0 public.users: permissions.toml:250: true
-- _1 public.passports: permissions.toml:253: true
-- _2 public.users: permissions.toml:250: true
-- _3 public.users: permissions.toml:250: true
