-- role: analyst
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    ORDER BY (SELECT count(*)
      FROM "market"."sales" AS _1
      WHERE (_1."shop_id" IS NOT NULL)
      AND _1."shop_id" = _0."id"
      HAVING count(*) >= 3) DESC NULLS LAST, _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    ORDER BY (SELECT sum(_3."quantity")
      FROM "market"."sales" AS _3
      WHERE (_3."shop_id" IS NOT NULL)
      AND _3."shop_id" = _2."id"
      HAVING count(*) >= 3) NULLS FIRST, _2."id" DESC);
-- _0 market.shops: permissions.toml:278: true
-- _1 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _2 market.shops: permissions.toml:278: true
-- _3 market.sales: permissions.toml:290: shop_id IS NOT NULL

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE (_0."owner_id" = $1::int4)
    ORDER BY (SELECT count(*)
      FROM "market"."sales" AS _1
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_1."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _1."shop_id" = _0."id") DESC NULLS LAST, _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE (_2."owner_id" = $1::int4)
    ORDER BY (SELECT sum(_3."quantity")
      FROM "market"."sales" AS _3
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_3."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _3."shop_id" = _2."id") NULLS FIRST, _2."id" DESC);
-- $1: session value user_id, Int
-- _0 market.shops: permissions.toml:272: owner_id = session.user_id
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.shops: permissions.toml:272: owner_id = session.user_id
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: staff
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY (SELECT count(*)
      FROM "market"."sales" AS _1
      WHERE (_1."quantity" > 0)
      AND _1."shop_id" = _0."id") DESC NULLS LAST, _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY (SELECT sum(_3."quantity")
      FROM "market"."sales" AS _3
      WHERE (_3."quantity" > 0)
      AND _3."shop_id" = _2."id") NULLS FIRST, _2."id" DESC);
-- $1: session value user_id, Int
-- _0 market.shops: permissions.toml:275: member_of(team_id)
-- _1 market.sales: permissions.toml:287: quantity > 0
-- _2 market.shops: permissions.toml:275: member_of(team_id)
-- _3 market.sales: permissions.toml:287: quantity > 0
