-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "market"."shops" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE _3."shop_id" = _2."id"
      HAVING (count(*) > $1::int8
        AND count(*) <= $2::int8))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM "market"."shops" AS _5
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _6
      WHERE _6."shop_id" = _5."id"
      HAVING (count(*) = $3::int8))
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, _8."id", null::int2
    FROM "market"."shops" AS _8
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _9
      WHERE _9."shop_id" = _8."id"
      AND _9."item" = $4::text
      HAVING (count(*) = ANY ($5::int8[])))
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _11."id", null::int2
    FROM "market"."shops" AS _11
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _12
      WHERE _12."shop_id" = _11."id"
      HAVING (count(_12."paid") = $6::int8))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, _14."id", null::int2
    FROM "market"."shops" AS _14
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _15
      WHERE _15."shop_id" = _14."id"
      HAVING (count(DISTINCT _15."item") = $1::int8))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _17."id", null::int2
    FROM "market"."shops" AS _17
    WHERE NOT (((EXISTS (SELECT
            FROM "market"."sales" AS _18
            WHERE _18."shop_id" = _17."id"
            HAVING (count(*) >= $7::int8)))))
    ORDER BY _17."id") UNION ALL (SELECT 6::int2, _20."id", null::int2
    FROM "market"."shops" AS _20
    ORDER BY _20."id") UNION ALL SELECT 7::int2, null::int4, _0.c0
  FROM _0;
-- $1: "2" of the document
-- $2: "4" of the document
-- $3: "0" of the document
-- $4: "pen" of the document
-- $5: "{\"1\",\"2\"}" of the document
-- $6: "3" of the document
-- $7: "1" of the document
-- _2 market.shops: every row
-- _3 market.sales: every row
-- _5 market.shops: every row
-- _6 market.sales: every row
-- _8 market.shops: every row
-- _9 market.sales: every row
-- _11 market.shops: every row
-- _12 market.sales: every row
-- _14 market.shops: every row
-- _15 market.sales: every row
-- _17 market.shops: every row
-- _18 market.sales: every row
-- _20 market.shops: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id"
      FROM "market"."shops" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_3."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _3."shop_id" = _2."id"
      HAVING (count(*) > $2::int8
        AND count(*) <= $3::int8))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM (SELECT _5."id"
      FROM "market"."shops" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _6
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_6."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _6."shop_id" = _5."id"
      HAVING (count(*) = $4::int8))
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, _8."id", null::int2
    FROM (SELECT _8."id"
      FROM "market"."shops" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _9
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_9."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _9."shop_id" = _8."id"
      AND _9."item" = $5::text
      HAVING (count(*) = ANY ($6::int8[])))
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _11."id", null::int2
    FROM (SELECT _11."id"
      FROM "market"."shops" AS _11
      WHERE (_11."owner_id" = $1::int4)
      OFFSET 0) AS _11
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _12
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_12."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _12."shop_id" = _11."id"
      HAVING (count(_12."paid") = $7::int8))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, _14."id", null::int2
    FROM (SELECT _14."id"
      FROM "market"."shops" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _15
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_15."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _15."shop_id" = _14."id"
      HAVING (count(DISTINCT _15."item") = $2::int8))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _17."id", null::int2
    FROM (SELECT _17."id"
      FROM "market"."shops" AS _17
      WHERE (_17."owner_id" = $1::int4)
      OFFSET 0) AS _17
    WHERE NOT (((EXISTS (SELECT
            FROM "market"."sales" AS _18
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_18."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _18."shop_id" = _17."id"
            HAVING (count(*) >= $8::int8)))))
    ORDER BY _17."id") UNION ALL (SELECT 6::int2, _20."id", null::int2
    FROM "market"."shops" AS _20
    WHERE (_20."owner_id" = $1::int4)
    ORDER BY _20."id") UNION ALL SELECT 7::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "4" of the document
-- $4: "0" of the document
-- $5: "pen" of the document
-- $6: "{\"1\",\"2\"}" of the document
-- $7: "3" of the document
-- $8: "1" of the document
-- _2 market.shops: permissions.toml:272: owner_id = session.user_id
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.shops: permissions.toml:272: owner_id = session.user_id
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _8 market.shops: permissions.toml:272: owner_id = session.user_id
-- _9 market.sales: permissions.toml:284: own_shop(shop_id)
-- _11 market.shops: permissions.toml:272: owner_id = session.user_id
-- _12 market.sales: permissions.toml:284: own_shop(shop_id)
-- _14 market.shops: permissions.toml:272: owner_id = session.user_id
-- _15 market.sales: permissions.toml:284: own_shop(shop_id)
-- _17 market.shops: permissions.toml:272: owner_id = session.user_id
-- _18 market.sales: permissions.toml:284: own_shop(shop_id)
-- _20 market.shops: permissions.toml:272: owner_id = session.user_id

-- role: analyst
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "market"."shops" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE (_3."shop_id" IS NOT NULL)
      AND _3."shop_id" = _2."id"
      HAVING count(*) >= 3
      AND (count(*) > $1::int8
        AND count(*) <= $2::int8))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM "market"."shops" AS _5
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _6
      WHERE (_6."shop_id" IS NOT NULL)
      AND _6."shop_id" = _5."id"
      HAVING count(*) >= 3
      AND (count(*) = $3::int8))
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, _8."id", null::int2
    FROM "market"."shops" AS _8
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _9
      WHERE (_9."shop_id" IS NOT NULL)
      AND _9."shop_id" = _8."id"
      AND _9."item" = $4::text
      HAVING count(*) >= 3
      AND (count(*) = ANY ($5::int8[])))
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _11."id", null::int2
    FROM "market"."shops" AS _11
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _12
      WHERE (_12."shop_id" IS NOT NULL)
      AND _12."shop_id" = _11."id"
      HAVING count(*) >= 3
      AND (count(_12."paid") = $6::int8))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, _14."id", null::int2
    FROM "market"."shops" AS _14
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _15
      WHERE (_15."shop_id" IS NOT NULL)
      AND _15."shop_id" = _14."id"
      HAVING count(*) >= 3
      AND (count(DISTINCT _15."item") = $1::int8))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _17."id", null::int2
    FROM "market"."shops" AS _17
    WHERE NOT (((EXISTS (SELECT
            FROM "market"."sales" AS _18
            WHERE (_18."shop_id" IS NOT NULL)
            AND _18."shop_id" = _17."id"
            HAVING count(*) >= 3
            AND (count(*) >= $7::int8)))))
    ORDER BY _17."id") UNION ALL (SELECT 6::int2, _20."id", null::int2
    FROM "market"."shops" AS _20
    ORDER BY _20."id") UNION ALL SELECT 7::int2, null::int4, _0.c0
  FROM _0;
-- $1: "2" of the document
-- $2: "4" of the document
-- $3: "0" of the document
-- $4: "pen" of the document
-- $5: "{\"1\",\"2\"}" of the document
-- $6: "3" of the document
-- $7: "1" of the document
-- _2 market.shops: permissions.toml:278: true
-- _3 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _5 market.shops: permissions.toml:278: true
-- _6 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _8 market.shops: permissions.toml:278: true
-- _9 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _11 market.shops: permissions.toml:278: true
-- _12 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _14 market.shops: permissions.toml:278: true
-- _15 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _17 market.shops: permissions.toml:278: true
-- _18 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _20 market.shops: permissions.toml:278: true
