-- role: staff
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _1."name", _0."id"
    LIMIT 2), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2.*::"public"."users" AS "_row"
      FROM "public"."users" AS _2
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _2
    WHERE "public"."user_label"(_2."_row") <> (SELECT $2::text)
    ORDER BY _2."id"
    LIMIT 2), array(SELECT row(_3."id")
    FROM "public"."or""ders" AS _3
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."or""ders" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    LIMIT 1000);
-- $1: session value user_id, Int
-- $2: "x" of the document
-- _0 public.or"ders: permissions.toml:121: member_of(team_id)
-- _1 public.users: permissions.toml:54: member_of(team_id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
-- _4 public.or"ders: permissions.toml:121: member_of(team_id)
