-- role: staff
SELECT array(SELECT row(_0."id", _0."called", _0."shout", _1."id" IS NOT NULL, _1."name", _2."id" IS NOT NULL, _2."id", _2."name")
    FROM "public"."team_users" AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."users" AS _2 ON _2."id" = _0."manager_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _0."called" > $2::text
    AND _0."team_id" = $3::int4
    ORDER BY _0."id"), array(SELECT row(_3."id", _3."called")
    FROM "public"."team_users" AS _3
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _3."id" = $4::int4), array(SELECT row(_4."id")
    FROM "public"."team_users" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _4."id" = $5::int4);
-- $1: session value user_id, Int
-- $2: "B" of the document
-- $3: "1" of the document
-- $4: "2" of the document
-- $5: "4" of the document
-- _0 public.team_users: permissions.toml:320: member_of(team_id)
-- _1 public.teams: permissions.toml:33: member_of(id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.team_users: permissions.toml:320: member_of(team_id)
-- _4 public.team_users: permissions.toml:320: member_of(team_id)
