-- role: statistician
WITH _0 (c0, c1, c2, c3, c4) AS MATERIALIZED (SELECT (SELECT row(count(*) >= 3, count(*), sum(_1."quantity"))
      FROM "market"."sales" AS _1), (SELECT row(count(*) >= 3, count(*), max(_2."quantity"))
      FROM (SELECT _2."quantity"
        FROM "market"."sales" AS _2
        LIMIT 1) AS _2), (SELECT row(count(*) >= 3, max(_3."quantity"))
      FROM (SELECT _3."quantity"
        FROM "market"."sales" AS _3
        ORDER BY _3."quantity" DESC
        LIMIT 2
        OFFSET 1) AS _3), (SELECT row(count(*) >= 3, count(*))
      FROM (SELECT DISTINCT ON (_4."shop_id") _4."shop_id"
        FROM "market"."sales" AS _4
        WHERE _4."shop_id" = ANY ($1::int4[])
        ORDER BY _4."shop_id") AS _4), array(SELECT row(_5."shop_id", count(*))
      FROM "market"."sales" AS _5
      GROUP BY _5."shop_id"
      HAVING count(*) >= 3
      ORDER BY _5."shop_id")) (SELECT 0::int2, _7."id", (SELECT row(count(*) >= 3, count(*))
      FROM "market"."sales" AS _8
      WHERE _8."shop_id" = _7."id"), null::record, null::record, null::record, null::record[]
    FROM "market"."shops" AS _7
    ORDER BY _7."id") UNION ALL SELECT 1::int2, null::int4, _0.c0, _0.c1, _0.c2, _0.c3, _0.c4
  FROM _0;
-- $1: "{\"1\",\"2\"}" of the document
-- _1 market.sales: permissions.toml:713: true
-- _2 market.sales: permissions.toml:713: true
-- _3 market.sales: permissions.toml:713: true
-- _4 market.sales: permissions.toml:713: true
-- _5 market.sales: permissions.toml:713: true
-- _8 market.sales: permissions.toml:713: true
-- _7 market.shops: permissions.toml:710: true
