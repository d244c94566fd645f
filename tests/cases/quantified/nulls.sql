-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _1
        WHERE _1."shop_id" = _0."id"
        AND (((_1."paid" = $1::bool))) IS NOT TRUE))
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _3
        WHERE _3."shop_id" = _2."id"
        AND ((NOT (((_3."paid" = $1::bool))))) IS NOT TRUE))
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _5
        WHERE _5."shop_id" = _4."id"
        AND _5."paid" = $1::bool))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _7
        WHERE _7."shop_id" = _6."id"
        AND NOT (((_7."paid" = $1::bool)))))
    ORDER BY _6."id");
-- $1: "true" of the document
-- _0 market.shops: every row
-- _1 market.sales: every row
-- _2 market.shops: every row
-- _3 market.sales: every row
-- _4 market.shops: every row
-- _5 market.sales: every row
-- _6 market.shops: every row
-- _7 market.sales: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _1
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_1."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _1."shop_id" = _0."id"
        AND (((_1."paid" = $2::bool))) IS NOT TRUE))
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _3
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_3."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _3."shop_id" = _2."id"
        AND ((NOT (((_3."paid" = $2::bool))))) IS NOT TRUE))
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _5
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_5."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _5."shop_id" = _4."id"
        AND _5."paid" = $2::bool))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _7
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_7."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _7."shop_id" = _6."id"
        AND NOT (((_7."paid" = $2::bool)))))
    ORDER BY _6."id");
-- $1: session value user_id, Int
-- $2: "true" of the document
-- _0 market.shops: permissions.toml:272: owner_id = session.user_id
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.shops: permissions.toml:272: owner_id = session.user_id
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _4 market.shops: permissions.toml:272: owner_id = session.user_id
-- _5 market.sales: permissions.toml:284: own_shop(shop_id)
-- _6 market.shops: permissions.toml:272: owner_id = session.user_id
-- _7 market.sales: permissions.toml:284: own_shop(shop_id)
