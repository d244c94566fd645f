-- role: manager
WITH _0 (c0, c1, c2) AS MATERIALIZED (SELECT (SELECT row(count(*) FILTER (WHERE (((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_3."shop_id")
                  AND "s"."owner_id" = $1::int4)))) IS NOT TRUE) >= 3, count(*), sum(_3."quantity"), array(SELECT row(_4."id")
          FROM "market"."sales" AS _4
          WHERE ((EXISTS (SELECT
                FROM "market"."shops" AS "s"
                WHERE "s"."id" = (_4."shop_id")
                AND "s"."owner_id" = $1::int4)))))
      FROM "market"."sales" AS _3), (SELECT row(count(*) FILTER (WHERE (((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_5."shop_id")
                  AND "s"."owner_id" = $1::int4)))) IS NOT TRUE) >= 3, count(*))
      FROM "market"."sales" AS _5
      WHERE (CASE WHEN ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_5."shop_id")
              AND "s"."owner_id" = $1::int4))) THEN _5."id" END) IS NOT NULL), array(SELECT row(_6."shop_id", count(*))
      FROM "market"."sales" AS _6
      GROUP BY _6."shop_id"
      HAVING count(*) FILTER (WHERE (((EXISTS (SELECT
                FROM "market"."shops" AS "s"
                WHERE "s"."id" = (_6."shop_id")
                AND "s"."owner_id" = $1::int4)))) IS NOT TRUE) >= 3
      ORDER BY _6."shop_id")), _7 (c0, c1) AS MATERIALIZED (SELECT _8."id", (SELECT row(count(*) FILTER (WHERE (((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_11."shop_id")
                  AND "s"."owner_id" = $1::int4)))) IS NOT TRUE) >= 3, count(*), array(SELECT row(_12."id")
          FROM "market"."sales" AS _12
          WHERE ((EXISTS (SELECT
                FROM "market"."shops" AS "s"
                WHERE "s"."id" = (_12."shop_id")
                AND "s"."owner_id" = $1::int4)))
          AND _12."shop_id" = _8."id"))
      FROM "market"."sales" AS _11
      WHERE _11."shop_id" = _8."id")
    FROM "market"."shops" AS _8
    ORDER BY _8."id") (SELECT 0::int2, _2."id", _2."shop_id", _2."quantity", null::record, null::record, null::record[]
    FROM "market"."sales" AS _2
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_2."shop_id")
          AND "s"."owner_id" = $1::int4)))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _10."id", _10."shop_id", null::int4, null::record, null::record, null::record[]
    FROM "market"."sales" AS _10
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_10."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND _10."shop_id" = ANY (array(SELECT _7.c0
        FROM _7))
    ORDER BY _10."id") UNION ALL SELECT 2::int2, _7.c0, null::int4, null::int4, _7.c1, null::record, null::record[]
  FROM _7 UNION ALL SELECT 3::int2, null::int4, null::int4, null::int4, _0.c0, _0.c1, _0.c2
  FROM _0;
-- $1: session value user_id, Int
-- _4 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.sales: permissions.toml:713: true
-- _5 market.sales: permissions.toml:713: true
-- _6 market.sales: permissions.toml:713: true
-- _12 market.sales: permissions.toml:284: own_shop(shop_id)
-- _11 market.sales: permissions.toml:713: true
-- _8 market.shops: permissions.toml:710: true
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _10 market.sales: permissions.toml:284: own_shop(shop_id)
