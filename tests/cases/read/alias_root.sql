-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::text, null::int2
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)) UNION ALL (SELECT 1::int2, null::int4, _4."name", null::int2
    FROM "public"."users" AS _4
    WHERE (_4."id" = $1::int4)) UNION ALL SELECT 2::int2, null::int4, null::text, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
