-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*), array(SELECT row(_13."id")
          FROM "market"."sales" AS _13
          WHERE EXISTS (SELECT
            FROM "market"."shops" AS _14
            WHERE _14."id" = _13."shop_id"
            AND EXISTS (SELECT
              FROM "market"."sales" AS _15
              WHERE _15."shop_id" = _14."id"
              HAVING (count(*) > $1::int8)))))
      FROM "market"."sales" AS _10
      WHERE EXISTS (SELECT
        FROM "market"."shops" AS _11
        WHERE _11."id" = _10."shop_id"
        AND EXISTS (SELECT
          FROM "market"."sales" AS _12
          WHERE _12."shop_id" = _11."id"
          HAVING (count(*) > $1::int8))))) (SELECT 0::int2, _2."id", null::record
    FROM "market"."sales" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."shops" AS _3
      WHERE _3."id" = _2."shop_id"
      AND EXISTS (SELECT
        FROM "market"."sales" AS _4
        WHERE _4."shop_id" = _3."id"
        HAVING (count(*) >= $2::int8)))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _6."id", null::record
    FROM "market"."shops" AS _6
    WHERE (((_6."name" = $3::text)) OR ((EXISTS (SELECT
            FROM "market"."sales" AS _7
            WHERE _7."shop_id" = _6."id"
            AND EXISTS (SELECT
              FROM "market"."shops" AS _8
              WHERE _8."id" = _7."shop_id"
              AND EXISTS (SELECT
                FROM "market"."sales" AS _9
                WHERE _9."shop_id" = _8."id"
                HAVING (sum(_9."quantity") > $4::numeric)))
            HAVING (count(*) > $5::int8)))))
    ORDER BY _6."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: "3" of the document
-- $2: "4" of the document
-- $3: "Empty" of the document
-- $4: "10" of the document
-- $5: "0" of the document
-- _13 market.sales: every row
-- _14 market.shops: every row
-- _15 market.sales: every row
-- _10 market.sales: every row
-- _11 market.shops: every row
-- _12 market.sales: every row
-- _2 market.sales: every row
-- _3 market.shops: every row
-- _4 market.sales: every row
-- _6 market.shops: every row
-- _7 market.sales: every row
-- _8 market.shops: every row
-- _9 market.sales: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*), array(SELECT row(_13."id")
          FROM (SELECT _13."id", _13."shop_id"
            FROM "market"."sales" AS _13
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_13."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            OFFSET 0) AS _13
          WHERE EXISTS (SELECT
            FROM (SELECT _14."id"
              FROM "market"."shops" AS _14
              WHERE (_14."owner_id" = $1::int4)
              AND _14."id" = _13."shop_id"
              OFFSET 0) AS _14
            WHERE EXISTS (SELECT
              FROM "market"."sales" AS _15
              WHERE ((EXISTS (SELECT
                    FROM "market"."shops" AS "s"
                    WHERE "s"."id" = (_15."shop_id")
                    AND "s"."owner_id" = $1::int4)))
              AND _15."shop_id" = _14."id"
              HAVING (count(*) > $2::int8)))))
      FROM (SELECT _10."shop_id"
        FROM "market"."sales" AS _10
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_10."shop_id")
              AND "s"."owner_id" = $1::int4)))
        OFFSET 0) AS _10
      WHERE EXISTS (SELECT
        FROM (SELECT _11."id"
          FROM "market"."shops" AS _11
          WHERE (_11."owner_id" = $1::int4)
          AND _11."id" = _10."shop_id"
          OFFSET 0) AS _11
        WHERE EXISTS (SELECT
          FROM "market"."sales" AS _12
          WHERE ((EXISTS (SELECT
                FROM "market"."shops" AS "s"
                WHERE "s"."id" = (_12."shop_id")
                AND "s"."owner_id" = $1::int4)))
          AND _12."shop_id" = _11."id"
          HAVING (count(*) > $2::int8))))) (SELECT 0::int2, _2."id", null::record
    FROM (SELECT _2."id", _2."shop_id"
      FROM "market"."sales" AS _2
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_2."shop_id")
            AND "s"."owner_id" = $1::int4)))
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM (SELECT _3."id"
        FROM "market"."shops" AS _3
        WHERE (_3."owner_id" = $1::int4)
        AND _3."id" = _2."shop_id"
        OFFSET 0) AS _3
      WHERE EXISTS (SELECT
        FROM "market"."sales" AS _4
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_4."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _4."shop_id" = _3."id"
        HAVING (count(*) >= $3::int8)))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _6."id", null::record
    FROM (SELECT _6."id", _6."name"
      FROM "market"."shops" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE (((_6."name" = $4::text)) OR ((EXISTS (SELECT
            FROM (SELECT _7."shop_id"
              FROM "market"."sales" AS _7
              WHERE ((EXISTS (SELECT
                    FROM "market"."shops" AS "s"
                    WHERE "s"."id" = (_7."shop_id")
                    AND "s"."owner_id" = $1::int4)))
              AND _7."shop_id" = _6."id"
              OFFSET 0) AS _7
            WHERE EXISTS (SELECT
              FROM (SELECT _8."id"
                FROM "market"."shops" AS _8
                WHERE (_8."owner_id" = $1::int4)
                AND _8."id" = _7."shop_id"
                OFFSET 0) AS _8
              WHERE EXISTS (SELECT
                FROM "market"."sales" AS _9
                WHERE ((EXISTS (SELECT
                      FROM "market"."shops" AS "s"
                      WHERE "s"."id" = (_9."shop_id")
                      AND "s"."owner_id" = $1::int4)))
                AND _9."shop_id" = _8."id"
                HAVING (sum(_9."quantity") > $5::numeric)))
            HAVING (count(*) > $6::int8)))))
    ORDER BY _6."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "3" of the document
-- $3: "4" of the document
-- $4: "Empty" of the document
-- $5: "10" of the document
-- $6: "0" of the document
-- _13 market.sales: permissions.toml:284: own_shop(shop_id)
-- _14 market.shops: permissions.toml:272: owner_id = session.user_id
-- _15 market.sales: permissions.toml:284: own_shop(shop_id)
-- _10 market.sales: permissions.toml:284: own_shop(shop_id)
-- _11 market.shops: permissions.toml:272: owner_id = session.user_id
-- _12 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.shops: permissions.toml:272: owner_id = session.user_id
-- _4 market.sales: permissions.toml:284: own_shop(shop_id)
-- _6 market.shops: permissions.toml:272: owner_id = session.user_id
-- _7 market.sales: permissions.toml:284: own_shop(shop_id)
-- _8 market.shops: permissions.toml:272: owner_id = session.user_id
-- _9 market.sales: permissions.toml:284: own_shop(shop_id)
