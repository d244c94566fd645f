-- role: admin
SELECT _0."item", _0."quantity", count(*)
  FROM "market"."sales" AS _0
  GROUP BY _0."item", _0."quantity"
  ORDER BY count(*) DESC, _0."item", _0."quantity";
-- _0 market.sales: every row

-- role: customer
SELECT _0."item", _0."quantity", count(*)
  FROM "market"."sales" AS _0
  WHERE ((EXISTS (SELECT
        FROM "market"."shops" AS "s"
        WHERE "s"."id" = (_0."shop_id")
        AND "s"."owner_id" = $1::int4)))
  GROUP BY _0."item", _0."quantity"
  ORDER BY count(*) DESC, _0."item", _0."quantity";
-- $1: session value user_id, Int
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: analyst
SELECT _0."item", _0."quantity", count(*)
  FROM "market"."sales" AS _0
  WHERE (_0."shop_id" IS NOT NULL)
  GROUP BY _0."item", _0."quantity"
  HAVING count(*) >= 3
  ORDER BY count(*) DESC, _0."item", _0."quantity"
  LIMIT 3;
-- _0 market.sales: permissions.toml:290: shop_id IS NOT NULL
