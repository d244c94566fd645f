-- role: staff
SELECT _0."id", _0."placed_on", _1."id" IS NOT NULL, _1."name", array(SELECT row(_2."line_no")
    FROM "public"."order_lines" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."or""ders" AS "o"
          WHERE "o"."id" = (_2."order_id")
          AND (EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = ("o"."team_id")
              AND "m"."user_id" = $1::int4)))))
    AND _2."order_id" = _0."id"
    ORDER BY _2."line_no"
    LIMIT 2)
  FROM (SELECT _0."id", _0."user_id", _0."placed_on"
    FROM "public"."memberships" AS "m" CROSS JOIN LATERAL (SELECT _0."id", _0."user_id", _0."placed_on"
      FROM "public"."or""ders" AS _0
      WHERE ("m"."team_id" = (_0."team_id"))
      ORDER BY _0."placed_on" DESC, _0."id"
      LIMIT 4) AS _0
    WHERE ("m"."user_id" = $1::int4)
    ORDER BY _0."placed_on" DESC, _0."id"
    LIMIT 3
    OFFSET 1) AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
  AND ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_1."team_id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY _0."placed_on" DESC, _0."id";
-- $1: session value user_id, Int
-- _2 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _0 public.or"ders: permissions.toml:121: member_of(team_id)
-- _1 public.users: permissions.toml:54: member_of(team_id)
