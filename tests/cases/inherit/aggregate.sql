-- role: lead
SELECT (SELECT row(count(*), count((CASE WHEN (_0."id" = $1::int4) THEN _0."email" END)), count(DISTINCT _0."name"), sum((CASE WHEN (_0."id" = $1::int4) THEN _0."score" END)), (array_agg((CASE WHEN (_0."id" = $1::int4) THEN _0."email" END)
          ORDER BY (CASE WHEN (_0."id" = $1::int4) THEN _0."email" END) DESC) FILTER (WHERE (CASE WHEN (_0."id" = $1::int4) THEN _0."email" END) IS NOT NULL))[1]::text, max((CASE WHEN (_0."id" = $1::int4) THEN _0."created_at" END)), array(SELECT row(_1."id", (CASE WHEN (_1."id" = $1::int4) THEN _1."email" END)::text)
        FROM "public"."users" AS _1
        WHERE ((_1."id" = $1::int4) OR ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_1."team_id")
                AND "m"."user_id" = $1::int4))))))
    FROM "public"."users" AS _0
    WHERE ((_0."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_0."team_id")
            AND "m"."user_id" = $1::int4)))));
-- $1: session value user_id, Int
-- _1 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _0 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
