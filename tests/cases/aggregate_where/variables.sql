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
      HAVING (count(*) > $2::int8))) UNION ALL (SELECT 1::int2, _5."id", null::int2
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
      HAVING (count(DISTINCT _6."item") = $3::int8))) UNION ALL (SELECT 2::int2, _8."id", null::int2
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
      HAVING (count(*) > $4::int8))) UNION ALL (SELECT 3::int2, _11."id", null::int2
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
      HAVING (count(_12."paid") = $5::int8))) UNION ALL (SELECT 4::int2, _14."id", null::int2
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
      HAVING (sum(_15."price") < $6::numeric))) UNION ALL (SELECT 5::int2, _17."id", null::int2
    FROM (SELECT _17."id"
      FROM "market"."shops" AS _17
      WHERE (_17."owner_id" = $1::int4)
      OFFSET 0) AS _17
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _18
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_18."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _18."shop_id" = _17."id"
      HAVING (max(_18."quantity") > $7::numeric))) UNION ALL SELECT 6::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.shops.args.where.salesAggregate.count.predicate._gt of the request, Int
-- $3: "2" of the document
-- $4: $.selectionSet.shops.args.where.salesAggregate.count.predicate._gt of the request, Int
-- $5: $.selectionSet.shops.args.where.salesAggregate.count.predicate._eq of the request, Int
-- $6: $.selectionSet.shops.args.where.salesAggregate.sum.predicate._lt of the request, float8
-- $7: $.selectionSet.shops.args.where.salesAggregate.max.predicate._gt of the request, float8
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
