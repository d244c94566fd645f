-- role: analyst
WITH _0 (c0, c1, c2, c3, c4, c5) AS MATERIALIZED (SELECT (SELECT row(count(*) >= 3, count(*), sum(_1."quantity"), sum(_1."price"), avg(_1."quantity"), array(SELECT row(_2."id")
          FROM "market"."sales" AS _2
          WHERE (_2."shop_id" IS NOT NULL)
          LIMIT 3))
      FROM "market"."sales" AS _1
      WHERE (_1."shop_id" IS NOT NULL)), (SELECT row(count(*) >= 3, count(*), sum(_3."quantity"), array(SELECT row(_4."id", _4."quantity")
          FROM "market"."sales" AS _4
          WHERE (_4."shop_id" IS NOT NULL)
          AND _4."shop_id" = $1::int4
          LIMIT 3))
      FROM "market"."sales" AS _3
      WHERE (_3."shop_id" IS NOT NULL)
      AND _3."shop_id" = $1::int4), (SELECT row(count(*) >= 3, count(*))
      FROM "market"."sales" AS _5
      WHERE (_5."shop_id" IS NOT NULL)
      AND _5."item" = $2::text), (SELECT row(count(*) >= 3, count(*))
      FROM (SELECT _6."id"
        FROM "market"."sales" AS _6
        WHERE (_6."shop_id" IS NOT NULL)
        ORDER BY _6."id"
        LIMIT 2) AS _6), (SELECT row(count(*) >= 3, count(DISTINCT _7."item"))
      FROM "market"."sales" AS _7
      WHERE (_7."shop_id" IS NOT NULL)), (SELECT row(count(*) >= 3)
      FROM "market"."sales" AS _8
      WHERE (_8."shop_id" IS NOT NULL)
      AND _8."shop_id" = $1::int4)) (SELECT 0::int2, _10."id", (SELECT row(count(*) >= 3, count(*), sum(_11."quantity"), array(SELECT row(_12."id")
          FROM "market"."sales" AS _12
          WHERE (_12."shop_id" IS NOT NULL)
          AND _12."shop_id" = _10."id"
          LIMIT 3))
      FROM "market"."sales" AS _11
      WHERE (_11."shop_id" IS NOT NULL)
      AND _11."shop_id" = _10."id"), null::record, null::record, null::record, null::record, null::record
    FROM "market"."shops" AS _10
    ORDER BY _10."id") UNION ALL SELECT 1::int2, null::int4, _0.c0, _0.c1, _0.c2, _0.c3, _0.c4, _0.c5
  FROM _0;
-- $1: "4" of the document
-- $2: "nothing" of the document
-- _2 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _1 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _4 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _3 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _5 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _6 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _7 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _8 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _12 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _11 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _10 market.shops: permissions.toml:278: true

-- role: customer
WITH _0 (c0, c1, c2, c3, c4) AS MATERIALIZED (SELECT (SELECT row(count(*), sum(_1."quantity"), sum(_1."price"), avg(_1."quantity"), array(SELECT row(_2."id")
          FROM "market"."sales" AS _2
          WHERE ((EXISTS (SELECT
                FROM "market"."shops" AS "s"
                WHERE "s"."id" = (_2."shop_id")
                AND "s"."owner_id" = $1::int4)))))
      FROM "market"."sales" AS _1
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_1."shop_id")
            AND "s"."owner_id" = $1::int4)))), (SELECT row(count(*), sum(_3."quantity"), array(SELECT row(_4."id", _4."quantity")
          FROM "market"."sales" AS _4
          WHERE ((EXISTS (SELECT
                FROM "market"."shops" AS "s"
                WHERE "s"."id" = (_4."shop_id")
                AND "s"."owner_id" = $1::int4)))
          AND _4."shop_id" = $2::int4))
      FROM "market"."sales" AS _3
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_3."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _3."shop_id" = $2::int4), (SELECT row(count(*))
      FROM "market"."sales" AS _5
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_5."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _5."item" = $3::text), (SELECT row(count(*))
      FROM (SELECT _6."id"
        FROM "market"."sales" AS _6
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_6."shop_id")
              AND "s"."owner_id" = $1::int4)))
        ORDER BY _6."id"
        LIMIT 2) AS _6), (SELECT row(count(DISTINCT _7."item"))
      FROM "market"."sales" AS _7
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_7."shop_id")
            AND "s"."owner_id" = $1::int4))))) (SELECT 0::int2, _10."id", (SELECT row(count(*), sum(_11."quantity"), array(SELECT row(_12."id")
          FROM "market"."sales" AS _12
          WHERE ((EXISTS (SELECT
                FROM "market"."shops" AS "s"
                WHERE "s"."id" = (_12."shop_id")
                AND "s"."owner_id" = $1::int4)))
          AND _12."shop_id" = _10."id"))
      FROM "market"."sales" AS _11
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_11."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _11."shop_id" = _10."id"), null::record, null::record, null::record, null::record
    FROM "market"."shops" AS _10
    WHERE (_10."owner_id" = $1::int4)
    ORDER BY _10."id") UNION ALL SELECT 1::int2, null::int4, _0.c0, _0.c1, _0.c2, _0.c3, _0.c4
  FROM _0;
-- $1: session value user_id, Int
-- $2: "4" of the document
-- $3: "nothing" of the document
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _4 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.sales: permissions.toml:284: own_shop(shop_id)
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _7 market.sales: permissions.toml:284: own_shop(shop_id)
-- _12 market.sales: permissions.toml:284: own_shop(shop_id)
-- _11 market.sales: permissions.toml:284: own_shop(shop_id)
-- _10 market.shops: permissions.toml:272: owner_id = session.user_id
