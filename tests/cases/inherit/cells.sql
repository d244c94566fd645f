-- role: lead
SELECT _0."id", _0."name", (CASE WHEN (_0."id" = $1::int4) THEN _0."nick" END), (CASE WHEN (_0."id" = $1::int4) THEN _0."email" END)::text, (CASE WHEN (_0."id" = $1::int4) THEN _0."score" END)
  FROM "public"."users" AS _0
  WHERE ((_0."id" = $1::int4) OR ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4))))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))

-- role: chief
SELECT _0."id", _0."name", (CASE WHEN (_0."id" = $1::int4) THEN _0."nick" END), _0."email"::text, _0."score"
  FROM "public"."users" AS _0
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:57: true
