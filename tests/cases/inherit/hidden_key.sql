-- role: chief
SELECT _0."id", (CASE WHEN ((_0."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_0."team_id")
            AND "m"."user_id" = $1::int4)))) THEN _0."team_id" END), _1."id" IS NOT NULL, _1."id", _1."name"
  FROM "public"."users" AS _0
  LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:57: true
-- _1 public.teams: permissions.toml:30: true
