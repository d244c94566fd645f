-- role: staff
WITH _0 (c0, c1) AS MATERIALIZED (SELECT array(SELECT row(_5."id", _5."called")
      FROM "public"."team_users" AS _5
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_5."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _5."id" = $2::int4), array(SELECT row(_6."id")
      FROM "public"."team_users" AS _6
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_6."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _6."id" = $3::int4)) (SELECT 0::int2, _2."id", _2."called", _2."shout", _3."id" IS NOT NULL, _3."name", _4."id" IS NOT NULL, _4."id", _4."name", null::record[], null::record[]
    FROM (SELECT _2."id", _2."called", _2."team_id", _2."manager_id", _2."shout"
      FROM "public"."team_users" AS _2
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _2."team_id" = $4::int4
      OFFSET 0) AS _2
    LEFT JOIN "public"."teams" AS _3 ON _3."id" = _2."team_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."id")
          AND "m"."user_id" = $1::int4)))
    LEFT JOIN "public"."users" AS _4 ON _4."id" = _2."manager_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE _2."called" > (SELECT $5::text)
    ORDER BY _2."id") UNION ALL SELECT 1::int2, null::int4, null::text, null::text, null::bool, null::text, null::bool, null::int4, null::text, _0.c0, _0.c1
  FROM _0;
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "4" of the document
-- $4: "1" of the document
-- $5: "B" of the document
-- _5 public.team_users: permissions.toml:320: member_of(team_id)
-- _6 public.team_users: permissions.toml:320: member_of(team_id)
-- _2 public.team_users: permissions.toml:320: member_of(team_id)
-- _3 public.teams: permissions.toml:33: member_of(id)
-- _4 public.users: permissions.toml:54: member_of(team_id)
