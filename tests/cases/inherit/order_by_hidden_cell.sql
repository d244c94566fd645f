-- role: lead
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", (CASE WHEN (_2."id" = $1::int4) THEN _2."score" END), null::text, null::int2
    FROM "public"."users" AS _2
    WHERE ((_2."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4))))
    ORDER BY (CASE WHEN (_2."id" = $1::int4) THEN _2."score" END) DESC, _2."id" DESC
    LIMIT 3) UNION ALL (SELECT DISTINCT ON ((CASE WHEN (_4."id" = $1::int4) THEN _4."email" END)) 1::int2, _4."id", null::float8, (CASE WHEN (_4."id" = $1::int4) THEN _4."email" END)::text, null::int2
    FROM "public"."users" AS _4
    WHERE ((_4."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_4."team_id")
            AND "m"."user_id" = $1::int4))))
    ORDER BY (CASE WHEN (_4."id" = $1::int4) THEN _4."email" END), _4."id" DESC) UNION ALL SELECT 2::int2, null::int4, null::float8, null::text, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _4 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
