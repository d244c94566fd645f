-- role: staff
SELECT array(SELECT row(_0."id", _0."called", _1."id" IS NOT NULL, _1."name")
    FROM "public"."team_user_names" AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _0."id" = $2::int4), array(SELECT row(_2."id")
    FROM "public"."team_user_names" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "public"."teams" AS _3
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_3."id")
            AND "m"."user_id" = $1::int4)))
      AND _3."id" = _2."team_id"
      AND _3."name" = $3::text)
    ORDER BY _2."id");
-- $1: session value user_id, Int
-- $2: "3" of the document
-- $3: "north" of the document
-- _0 public.team_user_names: permissions.toml:323: member_of(team_id)
-- _1 public.teams: permissions.toml:33: member_of(id)
-- _2 public.team_user_names: permissions.toml:323: member_of(team_id)
-- _3 public.teams: permissions.toml:33: member_of(id)
