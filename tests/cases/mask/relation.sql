-- role: support
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, (('*' || right(_2."number", 1))::text), _3."id" IS NOT NULL, _3."id", ((left(_3."email", 1) || '***')::"ext"."citext")::text, null::int2
    FROM "public"."passports" AS _2
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _2."user_id"
    ORDER BY _2."user_id") UNION ALL (SELECT 1::int2, (('*' || right(_7."number", 1))::text), _7."user_id" IS NOT NULL, _5."id", null::text, null::int2
    FROM "public"."users" AS _5
    LEFT JOIN "public"."passports" AS _7 ON _7."user_id" = _5."id"
    WHERE EXISTS (SELECT
      FROM "public"."passports" AS _6
      WHERE _6."user_id" = _5."id"
      AND (('*' || right(_6."number", 1))::text) = $1::text)) UNION ALL SELECT 2::int2, null::text, null::bool, null::int4, null::text, _0.c0
  FROM _0;
-- $1: "P1" of the document
-- _2 public.passports: permissions.toml:253: true
-- _3 public.users: permissions.toml:250: true
-- _5 public.users: permissions.toml:250: true
-- _7 public.passports: permissions.toml:253: true
-- _6 public.passports: permissions.toml:253: true
