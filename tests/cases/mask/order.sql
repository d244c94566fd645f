-- role: support
SELECT _0."id", ((left(_0."email", 1) || '***')::"ext"."citext")::text
  FROM "public"."users" AS _0
  ORDER BY ((left(_0."email", 1) || '***')::"ext"."citext") DESC NULLS LAST, _0."id"
  LIMIT 4;
-- _0 public.users: permissions.toml:250: true
