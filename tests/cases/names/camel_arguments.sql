-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::text, null::int2
    FROM "public"."users" AS _2
    ORDER BY _2."id" DESC
    LIMIT 2) UNION ALL (SELECT DISTINCT ON (_4."name") 1::int2, null::int4, _4."name", null::int2
    FROM "public"."teams" AS _4
    ORDER BY _4."name") UNION ALL SELECT 2::int2, null::int4, null::text, _0.c0
  FROM _0;
-- _2 public.users: every row
-- _4 public.teams: every row
