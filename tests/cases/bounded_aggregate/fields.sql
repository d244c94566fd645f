-- role: analyst
SELECT (SELECT row(count(*) >= 3, count(*), sum(_0."quantity"), sum(_0."price"), avg(_0."quantity"), array(SELECT row(_1."id")
        FROM "market"."sales" AS _1
        WHERE (_1."shop_id" IS NOT NULL)
        LIMIT 3))
    FROM "market"."sales" AS _0
    WHERE (_0."shop_id" IS NOT NULL)), (SELECT row(count(*) >= 3, count(*), sum(_2."quantity"), array(SELECT row(_3."id", _3."quantity")
        FROM "market"."sales" AS _3
        WHERE (_3."shop_id" IS NOT NULL)
        AND _3."shop_id" = $1::int4
        LIMIT 3))
    FROM "market"."sales" AS _2
    WHERE (_2."shop_id" IS NOT NULL)
    AND _2."shop_id" = $1::int4), (SELECT row(count(*) >= 3, count(*))
    FROM "market"."sales" AS _4
    WHERE (_4."shop_id" IS NOT NULL)
    AND _4."item" = $2::text), (SELECT row(count(*) >= 3, count(*))
    FROM (SELECT _5."id"
      FROM "market"."sales" AS _5
      WHERE (_5."shop_id" IS NOT NULL)
      ORDER BY _5."id"
      LIMIT 2) AS _5), (SELECT row(count(*) >= 3, count(DISTINCT _6."item"))
    FROM "market"."sales" AS _6
    WHERE (_6."shop_id" IS NOT NULL)), (SELECT row(count(*) >= 3)
    FROM "market"."sales" AS _7
    WHERE (_7."shop_id" IS NOT NULL)
    AND _7."shop_id" = $1::int4), array(SELECT row(_8."id", (SELECT row(count(*) >= 3, count(*), sum(_9."quantity"), array(SELECT row(_10."id")
            FROM "market"."sales" AS _10
            WHERE (_10."shop_id" IS NOT NULL)
            AND _10."shop_id" = _8."id"
            LIMIT 3))
        FROM "market"."sales" AS _9
        WHERE (_9."shop_id" IS NOT NULL)
        AND _9."shop_id" = _8."id"))
    FROM "market"."shops" AS _8
    ORDER BY _8."id");
-- $1: "4" of the document
-- $2: "nothing" of the document
-- _1 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _0 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _3 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _2 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _4 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _5 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _6 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _7 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _10 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _9 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _8 market.shops: permissions.toml:278: true

-- role: customer
SELECT (SELECT row(count(*), sum(_0."quantity"), sum(_0."price"), avg(_0."quantity"), array(SELECT row(_1."id")
        FROM "market"."sales" AS _1
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_1."shop_id")
              AND "s"."owner_id" = $1::int4)))))
    FROM "market"."sales" AS _0
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_0."shop_id")
          AND "s"."owner_id" = $1::int4)))), (SELECT row(count(*), sum(_2."quantity"), array(SELECT row(_3."id", _3."quantity")
        FROM "market"."sales" AS _3
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_3."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _3."shop_id" = $2::int4))
    FROM "market"."sales" AS _2
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_2."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND _2."shop_id" = $2::int4), (SELECT row(count(*))
    FROM "market"."sales" AS _4
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_4."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND _4."item" = $3::text), (SELECT row(count(*))
    FROM (SELECT _5."id"
      FROM "market"."sales" AS _5
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_5."shop_id")
            AND "s"."owner_id" = $1::int4)))
      ORDER BY _5."id"
      LIMIT 2) AS _5), (SELECT row(count(DISTINCT _6."item"))
    FROM "market"."sales" AS _6
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_6."shop_id")
          AND "s"."owner_id" = $1::int4)))), array(SELECT row(_8."id", (SELECT row(count(*), sum(_9."quantity"), array(SELECT row(_10."id")
            FROM "market"."sales" AS _10
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_10."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _10."shop_id" = _8."id"))
        FROM "market"."sales" AS _9
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_9."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _9."shop_id" = _8."id"))
    FROM "market"."shops" AS _8
    WHERE (_8."owner_id" = $1::int4)
    ORDER BY _8."id");
-- $1: session value user_id, Int
-- $2: "4" of the document
-- $3: "nothing" of the document
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _4 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.sales: permissions.toml:284: own_shop(shop_id)
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _10 market.sales: permissions.toml:284: own_shop(shop_id)
-- _9 market.sales: permissions.toml:284: own_shop(shop_id)
-- _8 market.shops: permissions.toml:272: owner_id = session.user_id
