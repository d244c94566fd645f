-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _1
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_1."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _1."shop_id" = _0."id"
      AND _1."item" = $2::text)
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_3."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _3."shop_id" = _2."id"
      AND _3."item" = $3::text)
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
        AND _5."item" = $4::text))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _6
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_6."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _6."shop_id" = _4."id"
      AND _6."quantity" >= $5::int4)
    ORDER BY _4."id"), array(SELECT row(_7."id")
    FROM "market"."shops" AS _7
    WHERE (_7."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _8
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_8."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _8."shop_id" = _7."id"
        AND (((_8."item" <> $6::text))) IS NOT TRUE))
    ORDER BY _7."id");
-- $1: session value user_id, Int
-- $2: $.selectionSet.shops.args.where.sales.item._eq of the request, String
-- $3: $.selectionSet.shops.args.where.sales._some.item._eq of the request, String
-- $4: $.selectionSet.shops.args.where.sales._none.item._eq of the request, String
-- $5: $.selectionSet.shops.args.where.sales._some.quantity._gte of the request, Int
-- $6: $.selectionSet.shops.args.where.sales._every.item._neq of the request, String
-- _0 market.shops: permissions.toml:272: owner_id = session.user_id
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.shops: permissions.toml:272: owner_id = session.user_id
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _4 market.shops: permissions.toml:272: owner_id = session.user_id
-- _5 market.sales: permissions.toml:284: own_shop(shop_id)
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _7 market.shops: permissions.toml:272: owner_id = session.user_id
-- _8 market.sales: permissions.toml:284: own_shop(shop_id)
