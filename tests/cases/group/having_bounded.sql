-- role: analyst
SELECT array(SELECT row(_0."item")
    FROM "market"."sales" AS _0
    WHERE (_0."shop_id" IS NOT NULL)
    GROUP BY _0."item"
    HAVING count(*) >= 3
    AND ((count(*) FILTER (WHERE ((_0."quantity" > $1::int4))) >= 3
        AND (count(*) FILTER (WHERE ((_0."quantity" > $1::int4))) > $2::int8)))
    LIMIT 3), array(SELECT row(_1."item")
    FROM "market"."sales" AS _1
    WHERE (_1."shop_id" IS NOT NULL)
    GROUP BY _1."item"
    HAVING count(*) >= 3
    AND ((count(*) FILTER (WHERE ((_1."quantity" > $3::int4))) >= 3
        AND (count(*) FILTER (WHERE ((_1."quantity" > $3::int4))) > $2::int8)))
    LIMIT 3);
-- $1: "1" of the document
-- $2: "0" of the document
-- $3: "2" of the document
-- _0 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _1 market.sales: permissions.toml:290: shop_id IS NOT NULL
