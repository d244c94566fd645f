-- role: staff
SELECT _0."id"
  FROM "public"."or""ders" AS _0
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."team_id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY _0."placed_on" DESC, _0."id"
  LIMIT 3;
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:121: member_of(team_id)
