-- role: admin
SELECT array(SELECT row(_0."item", count(*))
    FROM "market"."sales" AS _0
    GROUP BY _0."item", _0."shop_id"
    ORDER BY _0."item", _0."shop_id"
    LIMIT 2
    OFFSET 1), array(SELECT row(_1."quantity")
    FROM "market"."sales" AS _1
    GROUP BY _1."quantity"
    ORDER BY _1."quantity");
-- _0 market.sales: every row
-- _1 market.sales: every row

-- role: analyst
SELECT array(SELECT row(_0."item", count(*))
    FROM "market"."sales" AS _0
    WHERE (_0."shop_id" IS NOT NULL)
    GROUP BY _0."item", _0."shop_id"
    HAVING count(*) >= 3
    ORDER BY _0."item", _0."shop_id"
    LIMIT 2
    OFFSET 1), array(SELECT row(_1."quantity")
    FROM "market"."sales" AS _1
    WHERE (_1."shop_id" IS NOT NULL)
    GROUP BY _1."quantity"
    HAVING count(*) >= 3
    ORDER BY _1."quantity"
    LIMIT 3);
-- _0 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _1 market.sales: permissions.toml:290: shop_id IS NOT NULL
