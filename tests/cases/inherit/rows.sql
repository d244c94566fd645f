-- role: customer
SELECT _0."id", _0."user_id", _0."team_id", _0."status"::text
  FROM "public"."or""ders" AS _0
  WHERE (_0."user_id" = $1::int4)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: staff
SELECT _0."id", _0."user_id", _0."team_id", _0."status"::text
  FROM "public"."or""ders" AS _0
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."team_id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:121: member_of(team_id)

-- role: lead
SELECT _0."id", _0."user_id", _0."team_id", _0."status"::text
  FROM "public"."or""ders" AS _0
  WHERE ((_0."user_id" = $1::int4) OR ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4))))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:118: (user_id = session.user_id) OR (member_of(team_id))
