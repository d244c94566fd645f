-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "market"."shops" AS _2
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _3
        WHERE _3."shop_id" = _2."id"
        AND (((_3."paid" = $1::bool))) IS NOT TRUE))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM "market"."shops" AS _5
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _6
        WHERE _6."shop_id" = _5."id"
        AND ((NOT (((_6."paid" = $1::bool))))) IS NOT TRUE))
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, _8."id", null::int2
    FROM "market"."shops" AS _8
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE _9."shop_id" = _8."id"
        AND _9."paid" = $1::bool))
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _11."id", null::int2
    FROM "market"."shops" AS _11
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _12
        WHERE _12."shop_id" = _11."id"
        AND NOT (((_12."paid" = $1::bool)))))
    ORDER BY _11."id") UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: "true" of the document
-- _2 market.shops: every row
-- _3 market.sales: every row
-- _5 market.shops: every row
-- _6 market.sales: every row
-- _8 market.shops: every row
-- _9 market.sales: every row
-- _11 market.shops: every row
-- _12 market.sales: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id"
      FROM "market"."shops" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _3
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_3."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _3."shop_id" = _2."id"
        AND (((_3."paid" = $2::bool))) IS NOT TRUE))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM (SELECT _5."id"
      FROM "market"."shops" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _6
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_6."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _6."shop_id" = _5."id"
        AND ((NOT (((_6."paid" = $2::bool))))) IS NOT TRUE))
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, _8."id", null::int2
    FROM (SELECT _8."id"
      FROM "market"."shops" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_9."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _9."shop_id" = _8."id"
        AND _9."paid" = $2::bool))
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _11."id", null::int2
    FROM (SELECT _11."id"
      FROM "market"."shops" AS _11
      WHERE (_11."owner_id" = $1::int4)
      OFFSET 0) AS _11
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _12
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_12."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _12."shop_id" = _11."id"
        AND NOT (((_12."paid" = $2::bool)))))
    ORDER BY _11."id") UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "true" of the document
-- _2 market.shops: permissions.toml:272: owner_id = session.user_id
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.shops: permissions.toml:272: owner_id = session.user_id
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _8 market.shops: permissions.toml:272: owner_id = session.user_id
-- _9 market.sales: permissions.toml:284: own_shop(shop_id)
-- _11 market.shops: permissions.toml:272: owner_id = session.user_id
-- _12 market.sales: permissions.toml:284: own_shop(shop_id)
