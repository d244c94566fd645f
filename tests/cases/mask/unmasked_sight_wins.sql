-- role: desk
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", (CASE WHEN (_2."id" = $1::int4) THEN _2."name" ELSE (CASE WHEN _2."id" = $1::int4 THEN _2."name" ELSE upper(left(_2."name", 1)) END)::text END), (CASE WHEN (_2."id" = $1::int4) THEN _2."email" ELSE (left(_2."email", 1) || '***')::"ext"."citext" END)::text, (CASE WHEN (_2."id" = $1::int4) THEN _2."score" ELSE (round(_2."score"))::float8 END), _3."user_id" IS NOT NULL, (CASE WHEN (_3."user_id" = $1::int4) THEN _3."number" ELSE ('*' || right(_3."number", 1))::text END), null::int2
    FROM "public"."users" AS _2
    LEFT JOIN "public"."passports" AS _3 ON _3."user_id" = _2."id"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::text, null::text, null::float8, null::bool, null::text, null::int2
    FROM "public"."users" AS _5
    WHERE (CASE WHEN (_5."id" = $1::int4) THEN _5."email" ELSE (left(_5."email", 1) || '***')::"ext"."citext" END) OPERATOR("ext".=) $2::text::"ext"."citext") UNION ALL (SELECT 2::int2, _7."id", null::text, null::text, null::float8, null::bool, null::text, null::int2
    FROM "public"."users" AS _7
    WHERE (CASE WHEN (_7."id" = $1::int4) THEN _7."email" ELSE (left(_7."email", 1) || '***')::"ext"."citext" END) OPERATOR("ext".=) $3::text::"ext"."citext") UNION ALL SELECT 3::int2, null::int4, null::text, null::text, null::float8, null::bool, null::text, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "ada@example.org" of the document
-- $3: "bob@example.org" of the document
-- _2 public.users: permissions.toml:250: true
-- _3 public.passports: permissions.toml:253: true
-- _5 public.users: permissions.toml:250: true
-- _7 public.users: permissions.toml:250: true
