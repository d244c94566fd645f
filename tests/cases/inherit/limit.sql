-- role: auditor
SELECT _0."quantity"
  FROM "public"."order_lines" AS _0
  LIMIT 3;
-- _0 public.order_lines: permissions.toml:137: true

-- role: chief
SELECT _0."quantity"
  FROM "public"."order_lines" AS _0;
-- _0 public.order_lines: permissions.toml:137: true

-- role: staff
SELECT _0."quantity"
  FROM "public"."order_lines" AS _0
  WHERE ((EXISTS (SELECT
        FROM "public"."or""ders" AS "o"
        WHERE "o"."id" = (_0."order_id")
        AND (EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = ("o"."team_id")
            AND "m"."user_id" = $1::int4)))))
  LIMIT 2;
-- $1: session value user_id, Int
-- _0 public.order_lines: permissions.toml:134: order_of_team(order_id)

-- role: lead
SELECT _0."quantity"
  FROM "public"."order_lines" AS _0
  WHERE ((((_0."order_id") IN (SELECT "o"."id"
          FROM "public"."or""ders" AS "o"
          WHERE "o"."user_id" = $1::int4))) OR ((EXISTS (SELECT
          FROM "public"."or""ders" AS "o"
          WHERE "o"."id" = (_0."order_id")
          AND (EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = ("o"."team_id")
              AND "m"."user_id" = $1::int4))))));
-- $1: session value user_id, Int
-- _0 public.order_lines: permissions.toml:131: (own_order(order_id)) OR (order_of_team(order_id))
