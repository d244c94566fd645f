-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::text, null::int2
    FROM "public"."teams" AS _2
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, null::int4, _4."title", null::int2
    FROM "public"."products" AS _4
    WHERE (NOT _4."hidden")
    ORDER BY _4."id") UNION ALL SELECT 2::int2, null::int4, null::text, _0.c0
  FROM _0;
-- _2 public.teams: permissions.toml:30: true
-- _4 public.products: permissions.toml:74: NOT hidden
