-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."users" AS _2
    ORDER BY _2."id" DESC
    LIMIT 2) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."users" AS _4
    WHERE _4."name" = $1::text
    ORDER BY _4."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: $.selectionSet.users.args.where.name._eq of the request, String
-- _2 public.users: every row
-- _4 public.users: every row
