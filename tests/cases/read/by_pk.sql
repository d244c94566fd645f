-- role: admin
SELECT _0."id", _0."name", _1."id" IS NOT NULL, _1."name"
  FROM "public"."users" AS _0
  LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
  WHERE _0."id" = $1::int4;
-- $1: "1" of the document
-- _0 public.users: every row
-- _1 public.teams: every row

-- role: customer
SELECT _0."id", _0."name", _1."id" IS NOT NULL, _1."name"
  FROM "public"."users" AS _0
  LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
  WHERE (_0."id" = $1::int4)
  AND _0."id" = $2::int4;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.teams: permissions.toml:30: true

-- role: staff
SELECT _0."id", _0."name", _1."id" IS NOT NULL, _1."name"
  FROM "public"."users" AS _0
  LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
  AND ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_1."id")
        AND "m"."user_id" = $1::int4)))
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."team_id")
        AND "m"."user_id" = $1::int4)))
  AND _0."id" = $2::int4;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.teams: permissions.toml:33: member_of(id)
