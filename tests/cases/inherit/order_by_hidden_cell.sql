-- role: lead
SELECT array(SELECT row(_0."id", (CASE WHEN (_0."id" = $1::int4) THEN _0."score" END))
    FROM "public"."users" AS _0
    WHERE ((_0."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_0."team_id")
            AND "m"."user_id" = $1::int4))))
    ORDER BY (CASE WHEN (_0."id" = $1::int4) THEN _0."score" END) DESC, _0."id" DESC
    LIMIT 3), array(SELECT DISTINCT ON ((CASE WHEN (_1."id" = $1::int4) THEN _1."email" END)) row(_1."id", (CASE WHEN (_1."id" = $1::int4) THEN _1."email" END)::text)
    FROM "public"."users" AS _1
    WHERE ((_1."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_1."team_id")
            AND "m"."user_id" = $1::int4))))
    ORDER BY (CASE WHEN (_1."id" = $1::int4) THEN _1."email" END), _1."id" DESC);
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _1 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
