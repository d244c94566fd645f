-- role: support
SELECT array(SELECT row((('*' || right(_0."number", 1))::text), _1."id" IS NOT NULL, _1."id", ((left(_1."email", 1) || '***')::"ext"."citext")::text)
    FROM "public"."passports" AS _0
    LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
    ORDER BY _0."user_id"), array(SELECT row(_2."id", _4."user_id" IS NOT NULL, (('*' || right(_4."number", 1))::text))
    FROM "public"."users" AS _2
    LEFT JOIN "public"."passports" AS _4 ON _4."user_id" = _2."id"
    WHERE EXISTS (SELECT
      FROM "public"."passports" AS _3
      WHERE _3."user_id" = _2."id"
      AND (('*' || right(_3."number", 1))::text) = $1::text));
-- $1: "P1" of the document
-- _0 public.passports: permissions.toml:253: true
-- _1 public.users: permissions.toml:250: true
-- _2 public.users: permissions.toml:250: true
-- _4 public.passports: permissions.toml:253: true
-- _3 public.passports: permissions.toml:253: true
