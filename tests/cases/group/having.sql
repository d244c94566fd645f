-- role: admin
SELECT array(SELECT row(_0."item", count(*))
    FROM "market"."sales" AS _0
    GROUP BY _0."item"
    HAVING (((count(*) > $1::int8)))
    ORDER BY _0."item"), array(SELECT row(_1."item")
    FROM "market"."sales" AS _1
    GROUP BY _1."item"
    HAVING (((count(*) FILTER (WHERE ((_1."paid" = $2::bool))) >= $3::int8)))
    ORDER BY _1."item"), array(SELECT row(_2."item")
    FROM "market"."sales" AS _2
    GROUP BY _2."item"
    HAVING (((((sum(_2."price") > $4::numeric))) OR (NOT ((((bool_and(_2."paid") = $2::bool)))))))
    ORDER BY _2."item"), array(SELECT row(_3."shop_id")
    FROM "market"."sales" AS _3
    GROUP BY _3."shop_id"
    HAVING (((count(*) FILTER (WHERE (EXISTS (SELECT
                FROM "market"."shops" AS _4
                WHERE _4."id" = _3."shop_id"
                AND EXISTS (SELECT
                  FROM "market"."sales" AS _5
                  WHERE _5."shop_id" = _4."id"
                  AND _5."item" = $5::text)))) > $6::int8)))), array(SELECT row(_6."item", avg(_6."quantity"))
    FROM "market"."sales" AS _6
    WHERE _6."quantity" > $7::int4
    GROUP BY _6."item"
    HAVING (((avg(_6."quantity") < $8::numeric)))
    ORDER BY avg(_6."quantity") DESC);
-- $1: "1" of the document
-- $2: "true" of the document
-- $3: "2" of the document
-- $4: "90" of the document
-- $5: "map" of the document
-- $6: "0" of the document
-- $7: "1" of the document
-- $8: "4" of the document
-- _0 market.sales: every row
-- _1 market.sales: every row
-- _2 market.sales: every row
-- _3 market.sales: every row
-- _4 market.shops: every row
-- _5 market.sales: every row
-- _6 market.sales: every row

-- role: customer
SELECT array(SELECT row(_0."item", count(*))
    FROM "market"."sales" AS _0
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_0."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _0."item"
    HAVING (((count(*) > $2::int8)))
    ORDER BY _0."item"), array(SELECT row(_1."item")
    FROM "market"."sales" AS _1
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_1."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _1."item"
    HAVING (((count(*) FILTER (WHERE ((_1."paid" = $3::bool))) >= $4::int8)))
    ORDER BY _1."item"), array(SELECT row(_2."item")
    FROM "market"."sales" AS _2
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_2."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _2."item"
    HAVING (((((sum(_2."price") > $5::numeric))) OR (NOT ((((bool_and(_2."paid") = $3::bool)))))))
    ORDER BY _2."item"), array(SELECT row(_3."shop_id")
    FROM "market"."sales" AS _3
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_3."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _3."shop_id"
    HAVING (((count(*) FILTER (WHERE (EXISTS (SELECT
                FROM (SELECT _4."id"
                  FROM "market"."shops" AS _4
                  WHERE (_4."owner_id" = $1::int4)
                  AND _4."id" = _3."shop_id"
                  OFFSET 0) AS _4
                WHERE EXISTS (SELECT
                  FROM "market"."sales" AS _5
                  WHERE ((EXISTS (SELECT
                        FROM "market"."shops" AS "s"
                        WHERE "s"."id" = (_5."shop_id")
                        AND "s"."owner_id" = $1::int4)))
                  AND _5."shop_id" = _4."id"
                  AND _5."item" = $6::text)))) > $7::int8)))), array(SELECT row(_6."item", avg(_6."quantity"))
    FROM "market"."sales" AS _6
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_6."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND _6."quantity" > $8::int4
    GROUP BY _6."item"
    HAVING (((avg(_6."quantity") < $9::numeric)))
    ORDER BY avg(_6."quantity") DESC);
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: "true" of the document
-- $4: "2" of the document
-- $5: "90" of the document
-- $6: "map" of the document
-- $7: "0" of the document
-- $8: "1" of the document
-- $9: "4" of the document
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _4 market.shops: permissions.toml:272: owner_id = session.user_id
-- _5 market.sales: permissions.toml:284: own_shop(shop_id)
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
