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
      HAVING (count(*) > $2::int8))), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_3."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _3."shop_id" = _2."id"
      HAVING (count(DISTINCT _3."item") = $3::int8))), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _5
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_5."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _5."shop_id" = _4."id"
      HAVING (count(*) > $4::int8))), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _7
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_7."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _7."shop_id" = _6."id"
      HAVING (count(_7."paid") = $5::int8))), array(SELECT row(_8."id")
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
      HAVING (sum(_9."price") < $6::numeric))), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _11
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_11."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _11."shop_id" = _10."id"
      HAVING (max(_11."quantity") > $7::numeric)));
-- $1: session value user_id, Int
-- $2: $.selectionSet.shops.args.where.salesAggregate.count.predicate._gt of the request, Int
-- $3: "2" of the document
-- $4: $.selectionSet.shops.args.where.salesAggregate.count.predicate._gt of the request, Int
-- $5: $.selectionSet.shops.args.where.salesAggregate.count.predicate._eq of the request, Int
-- $6: $.selectionSet.shops.args.where.salesAggregate.sum.predicate._lt of the request, float8
-- $7: $.selectionSet.shops.args.where.salesAggregate.max.predicate._gt of the request, float8
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
