-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "market"."sales" AS _0
    WHERE EXISTS (SELECT
      FROM "market"."shops" AS _1
      WHERE _1."id" = _0."shop_id"
      AND EXISTS (SELECT
        FROM "market"."sales" AS _2
        WHERE _2."shop_id" = _1."id"
        HAVING (count(*) >= $1::int8)))
    ORDER BY _0."id"), array(SELECT row(_3."id")
    FROM "market"."shops" AS _3
    WHERE (((_3."name" = $2::text)) OR ((EXISTS (SELECT
            FROM "market"."sales" AS _4
            WHERE _4."shop_id" = _3."id"
            AND EXISTS (SELECT
              FROM "market"."shops" AS _5
              WHERE _5."id" = _4."shop_id"
              AND EXISTS (SELECT
                FROM "market"."sales" AS _6
                WHERE _6."shop_id" = _5."id"
                HAVING (sum(_6."quantity") > $3::numeric)))
            HAVING (count(*) > $4::int8)))))
    ORDER BY _3."id"), (SELECT row(count(*), array(SELECT row(_10."id")
        FROM "market"."sales" AS _10
        WHERE EXISTS (SELECT
          FROM "market"."shops" AS _11
          WHERE _11."id" = _10."shop_id"
          AND EXISTS (SELECT
            FROM "market"."sales" AS _12
            WHERE _12."shop_id" = _11."id"
            HAVING (count(*) > $5::int8)))))
    FROM "market"."sales" AS _7
    WHERE EXISTS (SELECT
      FROM "market"."shops" AS _8
      WHERE _8."id" = _7."shop_id"
      AND EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE _9."shop_id" = _8."id"
        HAVING (count(*) > $5::int8))));
-- $1: "4" of the document
-- $2: "Empty" of the document
-- $3: "10" of the document
-- $4: "0" of the document
-- $5: "3" of the document
-- _0 market.sales: every row
-- _1 market.shops: every row
-- _2 market.sales: every row
-- _3 market.shops: every row
-- _4 market.sales: every row
-- _5 market.shops: every row
-- _6 market.sales: every row
-- _10 market.sales: every row
-- _11 market.shops: every row
-- _12 market.sales: every row
-- _7 market.sales: every row
-- _8 market.shops: every row
-- _9 market.sales: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "market"."sales" AS _0
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_0."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "market"."shops" AS _1
      WHERE (_1."owner_id" = $1::int4)
      AND _1."id" = _0."shop_id"
      AND EXISTS (SELECT
        FROM "market"."sales" AS _2
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_2."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _2."shop_id" = _1."id"
        HAVING (count(*) >= $2::int8)))
    ORDER BY _0."id"), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."name"
      FROM "market"."shops" AS _3
      WHERE (_3."owner_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE (((_3."name" = $3::text)) OR ((EXISTS (SELECT
            FROM (SELECT _4."shop_id"
              FROM "market"."sales" AS _4
              WHERE ((EXISTS (SELECT
                    FROM "market"."shops" AS "s"
                    WHERE "s"."id" = (_4."shop_id")
                    AND "s"."owner_id" = $1::int4)))
              AND _4."shop_id" = _3."id"
              OFFSET 0) AS _4
            WHERE EXISTS (SELECT
              FROM (SELECT _5."id"
                FROM "market"."shops" AS _5
                WHERE (_5."owner_id" = $1::int4)
                AND _5."id" = _4."shop_id"
                OFFSET 0) AS _5
              WHERE EXISTS (SELECT
                FROM "market"."sales" AS _6
                WHERE ((EXISTS (SELECT
                      FROM "market"."shops" AS "s"
                      WHERE "s"."id" = (_6."shop_id")
                      AND "s"."owner_id" = $1::int4)))
                AND _6."shop_id" = _5."id"
                HAVING (sum(_6."quantity") > $4::numeric)))
            HAVING (count(*) > $5::int8)))))
    ORDER BY _3."id"), (SELECT row(count(*), array(SELECT row(_10."id")
        FROM "market"."sales" AS _10
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_10."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND EXISTS (SELECT
          FROM "market"."shops" AS _11
          WHERE (_11."owner_id" = $1::int4)
          AND _11."id" = _10."shop_id"
          AND EXISTS (SELECT
            FROM "market"."sales" AS _12
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_12."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _12."shop_id" = _11."id"
            HAVING (count(*) > $6::int8)))))
    FROM "market"."sales" AS _7
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_7."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "market"."shops" AS _8
      WHERE (_8."owner_id" = $1::int4)
      AND _8."id" = _7."shop_id"
      AND EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_9."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _9."shop_id" = _8."id"
        HAVING (count(*) > $6::int8))));
-- $1: session value user_id, Int
-- $2: "4" of the document
-- $3: "Empty" of the document
-- $4: "10" of the document
-- $5: "0" of the document
-- $6: "3" of the document
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)
-- _1 market.shops: permissions.toml:272: owner_id = session.user_id
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.shops: permissions.toml:272: owner_id = session.user_id
-- _4 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.shops: permissions.toml:272: owner_id = session.user_id
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _10 market.sales: permissions.toml:284: own_shop(shop_id)
-- _11 market.shops: permissions.toml:272: owner_id = session.user_id
-- _12 market.sales: permissions.toml:284: own_shop(shop_id)
-- _7 market.sales: permissions.toml:284: own_shop(shop_id)
-- _8 market.shops: permissions.toml:272: owner_id = session.user_id
-- _9 market.sales: permissions.toml:284: own_shop(shop_id)
