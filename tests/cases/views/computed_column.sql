-- role: staff
SELECT _0."id"
  FROM (SELECT _0."id", _0."shout"
    FROM "public"."team_users" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _0."id" > $2::int4
    OFFSET 0) AS _0
  WHERE _0."shout" = (SELECT $3::text);
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: "BOB" of the document
-- _0 public.team_users: permissions.toml:320: member_of(team_id)
