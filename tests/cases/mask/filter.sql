-- role: support
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::text, null::int2
    FROM "public"."users" AS _2
    WHERE ((left(_2."email", 1) || '***')::"ext"."citext") OPERATOR("ext".=) $1::text::"ext"."citext") UNION ALL (SELECT 1::int2, _4."id", null::text, null::int2
    FROM "public"."users" AS _4
    WHERE ((left(_4."email", 1) || '***')::"ext"."citext") OPERATOR("ext".~~) $2::text::"ext"."citext") UNION ALL (SELECT 2::int2, _6."id", ((left(_6."email", 1) || '***')::"ext"."citext")::text, null::int2
    FROM "public"."users" AS _6
    WHERE ((left(_6."email", 1) || '***')::"ext"."citext") OPERATOR("ext".=) $3::text::"ext"."citext"
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::text, null::int2
    FROM "public"."users" AS _8
    WHERE ((round(_8."score"))::float8) > $4::float8
    AND ((round(_8."score"))::float8) < $5::float8) UNION ALL (SELECT 4::int2, _10."id", null::text, null::int2
    FROM "public"."users" AS _10
    WHERE ((round(_10."score"))::float8) = $6::float8) UNION ALL SELECT 5::int2, null::int4, null::text, _0.c0
  FROM _0;
-- $1: "ada@example.org" of the document
-- $2: "%example%" of the document
-- $3: "a***" of the document
-- $4: "1.4" of the document
-- $5: "1.6" of the document
-- $6: "2" of the document
-- _2 public.users: permissions.toml:250: true
-- _4 public.users: permissions.toml:250: true
-- _6 public.users: permissions.toml:250: true
-- _8 public.users: permissions.toml:250: true
-- _10 public.users: permissions.toml:250: true
