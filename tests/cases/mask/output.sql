-- role: support
SELECT array(SELECT row(_0."id", ((CASE WHEN _0."id" = $1::int4 THEN _0."name" ELSE upper(left(_0."name", 1)) END)::text), _0."nick", ((left(_0."email", 1) || '***')::"ext"."citext")::text, (('ok')::"public"."mood")::text, ((round(_0."score"))::float8))
    FROM "public"."users" AS _0
    ORDER BY _0."id"), (SELECT row(count(DISTINCT ((CASE WHEN _1."id" = $1::int4 THEN _1."name" ELSE upper(left(_1."name", 1)) END)::text)), (array_agg(((left(_1."email", 1) || '***')::"ext"."citext")
          ORDER BY ((left(_1."email", 1) || '***')::"ext"."citext") DESC) FILTER (WHERE ((left(_1."email", 1) || '***')::"ext"."citext") IS NOT NULL))[1]::text, max(((CASE WHEN _1."id" = $1::int4 THEN _1."name" ELSE upper(left(_1."name", 1)) END)::text)), max((('ok')::"public"."mood"))::text, sum(((round(_1."score"))::float8)))
    FROM "public"."users" AS _1), array(SELECT DISTINCT ON (((CASE WHEN _2."id" = $1::int4 THEN _2."name" ELSE upper(left(_2."name", 1)) END)::text)) row(_2."id", ((CASE WHEN _2."id" = $1::int4 THEN _2."name" ELSE upper(left(_2."name", 1)) END)::text))
    FROM "public"."users" AS _2
    ORDER BY ((CASE WHEN _2."id" = $1::int4 THEN _2."name" ELSE upper(left(_2."name", 1)) END)::text), _2."id");
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:250: true
-- _1 public.users: permissions.toml:250: true
-- _2 public.users: permissions.toml:250: true
