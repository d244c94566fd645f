-- role: admin
SELECT array(SELECT row(count(*), sum(_0."quantity"))
    FROM "market"."sales" AS _0), array(SELECT row(count(*))
    FROM "market"."sales" AS _1
    WHERE _1."item" = $1::text);
-- $1: "nothing" of the document
-- _0 market.sales: every row
-- _1 market.sales: every row

-- role: customer
SELECT array(SELECT row(count(*), sum(_0."quantity"))
    FROM "market"."sales" AS _0
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_0."shop_id")
          AND "s"."owner_id" = $1::int4)))), array(SELECT row(count(*))
    FROM "market"."sales" AS _1
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_1."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND _1."item" = $2::text);
-- $1: session value user_id, Int
-- $2: "nothing" of the document
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: analyst
SELECT array(SELECT row(count(*), sum(_0."quantity"))
    FROM "market"."sales" AS _0
    WHERE (_0."shop_id" IS NOT NULL)
    HAVING count(*) >= 3
    LIMIT 3), array(SELECT row(count(*))
    FROM "market"."sales" AS _1
    WHERE (_1."shop_id" IS NOT NULL)
    AND _1."item" = $1::text
    HAVING count(*) >= 3
    LIMIT 3);
-- $1: "nothing" of the document
-- _0 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _1 market.sales: permissions.toml:290: shop_id IS NOT NULL
