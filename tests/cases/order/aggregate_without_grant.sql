-- role: staff
SELECT _0."order_id", _0."line_no"
  FROM "public"."order_lines" AS _0
  WHERE ((EXISTS (SELECT
        FROM "public"."or""ders" AS "o"
        WHERE "o"."id" = (_0."order_id")
        AND (EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = ("o"."team_id")
            AND "m"."user_id" = $1::int4)))))
  ORDER BY (SELECT count(*)
    FROM "public"."shipments" AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."or""ders" AS "o"
          WHERE "o"."id" = (_1."order_id")
          AND (EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = ("o"."team_id")
              AND "m"."user_id" = $1::int4)))) OR _1."order_id" IS NULL)
    AND _1."order_id" = _0."order_id"
    AND _1."line_no" = _0."line_no") DESC, _0."order_id", _0."line_no"
  LIMIT 2;
-- $1: session value user_id, Int
-- _0 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _1 public.shipments: permissions.toml:143: order_of_team(order_id) OR order_id IS NULL
