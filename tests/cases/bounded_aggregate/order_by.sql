-- role: analyst
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "market"."shops" AS _2
    ORDER BY (SELECT count(*)
      FROM "market"."sales" AS _3
      WHERE (_3."shop_id" IS NOT NULL)
      AND _3."shop_id" = _2."id"
      HAVING count(*) >= 3) DESC NULLS LAST, _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM "market"."shops" AS _5
    ORDER BY (SELECT sum(_6."quantity")
      FROM "market"."sales" AS _6
      WHERE (_6."shop_id" IS NOT NULL)
      AND _6."shop_id" = _5."id"
      HAVING count(*) >= 3) NULLS FIRST, _5."id" DESC) UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- _2 market.shops: permissions.toml:278: true
-- _3 market.sales: permissions.toml:290: shop_id IS NOT NULL
-- _5 market.shops: permissions.toml:278: true
-- _6 market.sales: permissions.toml:290: shop_id IS NOT NULL

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "market"."shops" AS _2
    WHERE (_2."owner_id" = $1::int4)
    ORDER BY (SELECT count(*)
      FROM "market"."sales" AS _3
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_3."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _3."shop_id" = _2."id") DESC NULLS LAST, _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM "market"."shops" AS _5
    WHERE (_5."owner_id" = $1::int4)
    ORDER BY (SELECT sum(_6."quantity")
      FROM "market"."sales" AS _6
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_6."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _6."shop_id" = _5."id") NULLS FIRST, _5."id" DESC) UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 market.shops: permissions.toml:272: owner_id = session.user_id
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.shops: permissions.toml:272: owner_id = session.user_id
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "market"."shops" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY (SELECT count(*)
      FROM "market"."sales" AS _3
      WHERE (_3."quantity" > 0)
      AND _3."shop_id" = _2."id") DESC NULLS LAST, _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM "market"."shops" AS _5
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_5."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY (SELECT sum(_6."quantity")
      FROM "market"."sales" AS _6
      WHERE (_6."quantity" > 0)
      AND _6."shop_id" = _5."id") NULLS FIRST, _5."id" DESC) UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 market.shops: permissions.toml:275: member_of(team_id)
-- _3 market.sales: permissions.toml:287: quantity > 0
-- _5 market.shops: permissions.toml:275: member_of(team_id)
-- _6 market.sales: permissions.toml:287: quantity > 0
