-- role: admin
SELECT array(SELECT row(_0."item", count(*), sum(_0."quantity"))
    FROM "market"."sales" AS _0
    GROUP BY _0."item"
    ORDER BY _0."item"), array(SELECT row(_1."item", _1."shop_id", count(*), sum(_1."price"))
    FROM "market"."sales" AS _1
    GROUP BY _1."shop_id", _1."item"
    ORDER BY _1."shop_id", _1."item" DESC), array(SELECT row(_2."paid", count(*))
    FROM "market"."sales" AS _2
    GROUP BY _2."paid"
    ORDER BY _2."paid" NULLS FIRST), array(SELECT row((_3."details"::text)::json, count(*))
    FROM "market"."sales" AS _3
    GROUP BY _3."details"::text
    ORDER BY count(*) DESC, sum(_3."quantity"));
-- _0 market.sales: every row
-- _1 market.sales: every row
-- _2 market.sales: every row
-- _3 market.sales: every row

-- role: customer
SELECT array(SELECT row(_0."item", count(*), sum(_0."quantity"))
    FROM "market"."sales" AS _0
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_0."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _0."item"
    ORDER BY _0."item"), array(SELECT row(_1."item", _1."shop_id", count(*), sum(_1."price"))
    FROM "market"."sales" AS _1
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_1."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _1."shop_id", _1."item"
    ORDER BY _1."shop_id", _1."item" DESC), array(SELECT row(_2."paid", count(*))
    FROM "market"."sales" AS _2
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_2."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _2."paid"
    ORDER BY _2."paid" NULLS FIRST), array(SELECT row((_3."details"::text)::json, count(*))
    FROM "market"."sales" AS _3
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_3."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _3."details"::text
    ORDER BY count(*) DESC, sum(_3."quantity"));
-- $1: session value user_id, Int
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: analyst
SELECT array(SELECT row(_0."item", count(*), sum(_0."quantity"))
    FROM "market"."sales" AS _0
    WHERE (_0."shop_id" IS NOT NULL)
    GROUP BY _0."item"
    HAVING count(*) >= 3
    ORDER BY _0."item"
    LIMIT 3), array(SELECT row(_1."item", _1."shop_id", count(*), sum(_1."price"))
    FROM "market"."sales" AS _1
    WHERE (_1."shop_id" IS NOT NULL)
    GROUP BY _1."shop_id", _1."item"
    HAVING count(*) >= 3
    ORDER BY _1."shop_id", _1."item" DESC
    LIMIT 3), array(SELECT row(_2."paid", count(*))
    FROM "market"."sales" AS _2
    WHERE (_2."shop_id" IS NOT NULL)
    GROUP BY _2."paid"
    HAVING count(*) >= 3
    ORDER BY _2."paid" NULLS FIRST
    LIMIT 3), array(SELECT row((_3."details"::text)::json, count(*))
    FROM "market"."sales" AS _3
    WHERE (_3."shop_id" IS NOT NULL)
    GROUP BY _3."details"::text
    HAVING count(*) >= 3
    ORDER BY count(*) DESC, sum(_3."quantity")
    LIMIT 3);
-- _0 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _1 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _2 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _3 market.sales: permissions.toml:290: shop_id IS NOT NULL
