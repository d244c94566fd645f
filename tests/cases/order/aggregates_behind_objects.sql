-- role: admin
SELECT _0."id"
  FROM "market"."sales" AS _0
  LEFT JOIN "market"."shops" AS _1 ON _1."id" = _0."shop_id"
  ORDER BY (SELECT count(*)
    FROM "market"."sales" AS _2
    WHERE _2."shop_id" = _1."id") DESC NULLS LAST, (SELECT sum(_3."quantity")
    FROM "market"."sales" AS _3
    WHERE _3."shop_id" = _1."id"), _0."id";
-- _0 market.sales: every row
-- _1 market.shops: every row
-- _2 market.sales: every row
-- _3 market.sales: every row

-- role: customer
SELECT _0."id"
  FROM "market"."sales" AS _0
  LEFT JOIN "market"."shops" AS _1 ON _1."id" = _0."shop_id"
  AND (_1."owner_id" = $1::int4)
  WHERE ((EXISTS (SELECT
        FROM "market"."shops" AS "s"
        WHERE "s"."id" = (_0."shop_id")
        AND "s"."owner_id" = $1::int4)))
  ORDER BY (SELECT count(*)
    FROM "market"."sales" AS _2
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_2."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND _2."shop_id" = _1."id") DESC NULLS LAST, (SELECT sum(_3."quantity")
    FROM "market"."sales" AS _3
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_3."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND _3."shop_id" = _1."id"), _0."id";
-- $1: session value user_id, Int
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)
-- _1 market.shops: permissions.toml:272: owner_id = session.user_id
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: staff
SELECT _0."id"
  FROM "market"."sales" AS _0
  LEFT JOIN "market"."shops" AS _1 ON _1."id" = _0."shop_id"
  AND ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_1."team_id")
        AND "m"."user_id" = $1::int4)))
  WHERE (_0."quantity" > 0)
  ORDER BY (SELECT count(*)
    FROM "market"."sales" AS _2
    WHERE (_2."quantity" > 0)
    AND _2."shop_id" = _1."id") DESC NULLS LAST, (SELECT sum(_3."quantity")
    FROM "market"."sales" AS _3
    WHERE (_3."quantity" > 0)
    AND _3."shop_id" = _1."id"), _0."id"
  LIMIT 2;
-- $1: session value user_id, Int
-- _0 market.sales: permissions.toml:287: quantity > 0
-- _1 market.shops: permissions.toml:275: member_of(team_id)
-- _2 market.sales: permissions.toml:287: quantity > 0
-- _3 market.sales: permissions.toml:287: quantity > 0

-- role: analyst
SELECT _0."id"
  FROM "market"."sales" AS _0
  LEFT JOIN "market"."shops" AS _1 ON _1."id" = _0."shop_id"
  WHERE (_0."shop_id" IS NOT NULL)
  ORDER BY (SELECT count(*)
    FROM "market"."sales" AS _2
    WHERE (_2."shop_id" IS NOT NULL)
    AND _2."shop_id" = _1."id"
    HAVING count(*) >= 3) DESC NULLS LAST, (SELECT sum(_3."quantity")
    FROM "market"."sales" AS _3
    WHERE (_3."shop_id" IS NOT NULL)
    AND _3."shop_id" = _1."id"
    HAVING count(*) >= 3), _0."id"
  LIMIT 3;
-- _0 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _1 market.shops: permissions.toml:278: true
-- _2 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _3 market.sales: permissions.toml:290: shop_id IS NOT NULL
