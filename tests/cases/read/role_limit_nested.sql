-- role: staff
SELECT _0."id", array(SELECT row(_1."line_no")
    FROM "public"."order_lines" AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."or""ders" AS "o"
          WHERE "o"."id" = (_1."order_id")
          AND (EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = ("o"."team_id")
              AND "m"."user_id" = $1::int4)))))
    AND _1."order_id" = _0."id"
    ORDER BY _1."line_no"
    LIMIT 2), (SELECT row(count(*))
    FROM "public"."order_lines" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."or""ders" AS "o"
          WHERE "o"."id" = (_2."order_id")
          AND (EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = ("o"."team_id")
              AND "m"."user_id" = $1::int4)))))
    AND _2."order_id" = _0."id")
  FROM "public"."or""ders" AS _0
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."team_id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _1 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _2 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _0 public.or"ders: permissions.toml:121: member_of(team_id)
