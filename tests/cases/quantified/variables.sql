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
      AND _3."item" = $2::text)
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
      AND _6."item" = $2::text)
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
        AND _9."item" = $3::text))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _10
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_10."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _10."shop_id" = _8."id"
      AND _10."quantity" >= $4::int4)
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _12."id", null::int2
    FROM (SELECT _12."id"
      FROM "market"."shops" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _13
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_13."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _13."shop_id" = _12."id"
        AND (((_13."item" <> $5::text))) IS NOT TRUE))
    ORDER BY _12."id") UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.shops.args.where.sales.item._eq of the request, String
-- $3: $.selectionSet.shops.args.where.sales._none.item._eq of the request, String
-- $4: $.selectionSet.shops.args.where.sales._some.quantity._gte of the request, Int
-- $5: $.selectionSet.shops.args.where.sales._every.item._neq of the request, String
-- _2 market.shops: permissions.toml:272: owner_id = session.user_id
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.shops: permissions.toml:272: owner_id = session.user_id
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _8 market.shops: permissions.toml:272: owner_id = session.user_id
-- _9 market.sales: permissions.toml:284: own_shop(shop_id)
-- _10 market.sales: permissions.toml:284: own_shop(shop_id)
-- _12 market.shops: permissions.toml:272: owner_id = session.user_id
-- _13 market.sales: permissions.toml:284: own_shop(shop_id)
