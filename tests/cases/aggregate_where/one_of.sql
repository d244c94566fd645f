-- role: admin
SELECT _0."id"
  FROM "market"."shops" AS _0
  WHERE EXISTS (SELECT
    FROM "market"."sales" AS _1
    WHERE _1."shop_id" = _0."id"
    AND _1."item" = $1::text
    HAVING (bool_or(_1."paid") = $2::bool))
  ORDER BY _0."id";
-- $1: "ink" of the document
-- $2: "false" of the document
-- _0 market.shops: every row
-- _1 market.sales: every row

-- role: customer
SELECT _0."id"
  FROM (SELECT _0."id"
    FROM "market"."shops" AS _0
    WHERE (_0."owner_id" = $1::int4)
    OFFSET 0) AS _0
  WHERE EXISTS (SELECT
    FROM "market"."sales" AS _1
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_1."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND _1."shop_id" = _0."id"
    AND _1."item" = $2::text
    HAVING (bool_or(_1."paid") = $3::bool))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "ink" of the document
-- $3: "false" of the document
-- _0 market.shops: permissions.toml:272: owner_id = session.user_id
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
