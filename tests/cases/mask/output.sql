-- role: support
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(DISTINCT ((CASE WHEN _3."id" = $1::int4 THEN _3."name" ELSE upper(left(_3."name", 1)) END)::text)), (array_agg(((left(_3."email", 1) || '***')::"ext"."citext")
            ORDER BY ((left(_3."email", 1) || '***')::"ext"."citext") DESC) FILTER (WHERE ((left(_3."email", 1) || '***')::"ext"."citext") IS NOT NULL))[1]::text, max(((CASE WHEN _3."id" = $1::int4 THEN _3."name" ELSE upper(left(_3."name", 1)) END)::text)), max((('ok')::"public"."mood"))::text, sum(((round(_3."score"))::float8)))
      FROM "public"."users" AS _3)) (SELECT 0::int2, _2."id", ((CASE WHEN _2."id" = $1::int4 THEN _2."name" ELSE upper(left(_2."name", 1)) END)::text), _2."nick", ((left(_2."email", 1) || '***')::"ext"."citext")::text, (('ok')::"public"."mood")::text, ((round(_2."score"))::float8), null::record
    FROM "public"."users" AS _2
    ORDER BY _2."id") UNION ALL (SELECT DISTINCT ON (((CASE WHEN _5."id" = $1::int4 THEN _5."name" ELSE upper(left(_5."name", 1)) END)::text)) 1::int2, _5."id", ((CASE WHEN _5."id" = $1::int4 THEN _5."name" ELSE upper(left(_5."name", 1)) END)::text), null::text, null::text, null::text, null::float8, null::record
    FROM "public"."users" AS _5
    ORDER BY ((CASE WHEN _5."id" = $1::int4 THEN _5."name" ELSE upper(left(_5."name", 1)) END)::text), _5."id") UNION ALL SELECT 2::int2, null::int4, null::text, null::text, null::text, null::text, null::float8, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _3 public.users: permissions.toml:250: true
-- _2 public.users: permissions.toml:250: true
-- _5 public.users: permissions.toml:250: true
