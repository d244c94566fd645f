-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _1
      WHERE _1."shop_id" = _0."id"
      HAVING (count(*) > $1::int8
        AND count(*) <= $2::int8))
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE _3."shop_id" = _2."id"
      HAVING (count(*) = $3::int8))
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _5
      WHERE _5."shop_id" = _4."id"
      AND _5."item" = $4::text
      HAVING (count(*) = ANY ($5::int8[])))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _7
      WHERE _7."shop_id" = _6."id"
      HAVING (count(_7."paid") = $6::int8))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "market"."shops" AS _8
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _9
      WHERE _9."shop_id" = _8."id"
      HAVING (count(DISTINCT _9."item") = $1::int8))
    ORDER BY _8."id"), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE NOT (((EXISTS (SELECT
            FROM "market"."sales" AS _11
            WHERE _11."shop_id" = _10."id"
            HAVING (count(*) >= $7::int8)))))
    ORDER BY _10."id"), array(SELECT row(_12."id")
    FROM "market"."shops" AS _12
    ORDER BY _12."id");
-- $1: "2" of the document
-- $2: "4" of the document
-- $3: "0" of the document
-- $4: "pen" of the document
-- $5: "{\"1\",\"2\"}" of the document
-- $6: "3" of the document
-- $7: "1" of the document
-- _0 market.shops: every row
-- _1 market.sales: every row
-- _2 market.shops: every row
-- _3 market.sales: every row
-- _4 market.shops: every row
-- _5 market.sales: every row
-- _6 market.shops: every row
-- _7 market.sales: every row
-- _8 market.shops: every row
-- _9 market.sales: every row
-- _10 market.shops: every row
-- _11 market.sales: every row
-- _12 market.shops: every row

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
      HAVING (count(*) > $2::int8
        AND count(*) <= $3::int8))
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
      HAVING (count(*) = $4::int8))
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _5
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_5."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _5."shop_id" = _4."id"
      AND _5."item" = $5::text
      HAVING (count(*) = ANY ($6::int8[])))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _7
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_7."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _7."shop_id" = _6."id"
      HAVING (count(_7."paid") = $7::int8))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "market"."shops" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _9
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_9."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _9."shop_id" = _8."id"
      HAVING (count(DISTINCT _9."item") = $2::int8))
    ORDER BY _8."id"), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND NOT (((EXISTS (SELECT
            FROM "market"."sales" AS _11
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_11."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _11."shop_id" = _10."id"
            HAVING (count(*) >= $8::int8)))))
    ORDER BY _10."id"), array(SELECT row(_12."id")
    FROM "market"."shops" AS _12
    WHERE (_12."owner_id" = $1::int4)
    ORDER BY _12."id");
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "4" of the document
-- $4: "0" of the document
-- $5: "pen" of the document
-- $6: "{\"1\",\"2\"}" of the document
-- $7: "3" of the document
-- $8: "1" of the document
-- _0 market.shops: permissions.toml:272: owner_id = session.user_id
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.shops: permissions.toml:272: owner_id = session.user_id
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _4 market.shops: permissions.toml:272: owner_id = session.user_id
-- _5 market.sales: permissions.toml:284: own_shop(shop_id)
-- _6 market.shops: permissions.toml:272: owner_id = session.user_id
-- _7 market.sales: permissions.toml:284: own_shop(shop_id)
-- _8 market.shops: permissions.toml:272: owner_id = session.user_id
-- _9 market.sales: permissions.toml:284: own_shop(shop_id)
-- _10 market.shops: permissions.toml:272: owner_id = session.user_id
-- _11 market.sales: permissions.toml:284: own_shop(shop_id)
-- _12 market.shops: permissions.toml:272: owner_id = session.user_id

-- role: analyst
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _1
      WHERE (_1."shop_id" IS NOT NULL)
      AND _1."shop_id" = _0."id"
      HAVING count(*) >= 3
      AND (count(*) > $1::int8
        AND count(*) <= $2::int8))
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE (_3."shop_id" IS NOT NULL)
      AND _3."shop_id" = _2."id"
      HAVING count(*) >= 3
      AND (count(*) = $3::int8))
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _5
      WHERE (_5."shop_id" IS NOT NULL)
      AND _5."shop_id" = _4."id"
      AND _5."item" = $4::text
      HAVING count(*) >= 3
      AND (count(*) = ANY ($5::int8[])))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _7
      WHERE (_7."shop_id" IS NOT NULL)
      AND _7."shop_id" = _6."id"
      HAVING count(*) >= 3
      AND (count(_7."paid") = $6::int8))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "market"."shops" AS _8
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _9
      WHERE (_9."shop_id" IS NOT NULL)
      AND _9."shop_id" = _8."id"
      HAVING count(*) >= 3
      AND (count(DISTINCT _9."item") = $1::int8))
    ORDER BY _8."id"), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE NOT (((EXISTS (SELECT
            FROM "market"."sales" AS _11
            WHERE (_11."shop_id" IS NOT NULL)
            AND _11."shop_id" = _10."id"
            HAVING count(*) >= 3
            AND (count(*) >= $7::int8)))))
    ORDER BY _10."id"), array(SELECT row(_12."id")
    FROM "market"."shops" AS _12
    ORDER BY _12."id");
-- $1: "2" of the document
-- $2: "4" of the document
-- $3: "0" of the document
-- $4: "pen" of the document
-- $5: "{\"1\",\"2\"}" of the document
-- $6: "3" of the document
-- $7: "1" of the document
-- _0 market.shops: permissions.toml:278: true
-- _1 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _2 market.shops: permissions.toml:278: true
-- _3 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _4 market.shops: permissions.toml:278: true
-- _5 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _6 market.shops: permissions.toml:278: true
-- _7 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _8 market.shops: permissions.toml:278: true
-- _9 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _10 market.shops: permissions.toml:278: true
-- _11 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _12 market.shops: permissions.toml:278: true
