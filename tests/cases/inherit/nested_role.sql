-- role: chief
SELECT array(SELECT row(_0."id", _0."name", (CASE WHEN (_0."id" = $1::int4) THEN _0."nick" END), _0."email"::text, (CASE WHEN ((_0."id" = $1::int4) OR ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_0."team_id")
                AND "m"."user_id" = $1::int4)))) THEN _0."team_id" END), _0."mood"::text)
    FROM "public"."users" AS _0
    ORDER BY _0."id"), array(SELECT row(_1."id", (CASE WHEN (_1."user_id" = $1::int4) THEN _1."na""me" END), _1."Total Amount", (CASE WHEN ((_1."user_id" = $1::int4) OR ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_1."team_id")
                AND "m"."user_id" = $1::int4)))) THEN _1."user_id" END))
    FROM "public"."or""ders" AS _1
    ORDER BY _1."id"
    LIMIT 10);
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:57: true
-- _1 public.or"ders: permissions.toml:124: true
