-- role: chief
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _2."name", (CASE WHEN (_2."id" = $1::int4) THEN _2."nick" END), _2."email"::text, (CASE WHEN ((_2."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_2."team_id")
              AND "m"."user_id" = $1::int4)))) THEN _2."team_id" END), _2."mood"::text, null::int8, null::numeric, null::int2
    FROM "public"."users" AS _2
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, (CASE WHEN ((_4."user_id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_4."team_id")
              AND "m"."user_id" = $1::int4)))) THEN _4."user_id" END), (CASE WHEN (_4."user_id" = $1::int4) THEN _4."na""me" END), null::text, null::text, null::int4, null::text, _4."id", _4."Total Amount", null::int2
    FROM "public"."or""ders" AS _4
    ORDER BY _4."id"
    LIMIT 10) UNION ALL SELECT 2::int2, null::int4, null::text, null::text, null::text, null::int4, null::text, null::int8, null::numeric, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:57: true
-- _4 public.or"ders: permissions.toml:124: true
