-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "market"."sales" AS _0
    WHERE EXISTS (SELECT
      FROM "market"."shops" AS _1
      WHERE _1."id" = _0."shop_id"
      AND NOT (EXISTS (SELECT
          FROM "market"."sales" AS _2
          WHERE _2."shop_id" = _1."id"
          AND ((EXISTS (SELECT
                FROM "market"."shops" AS _3
                WHERE _3."id" = _2."shop_id"
                AND EXISTS (SELECT
                  FROM "market"."sales" AS _4
                  WHERE _4."shop_id" = _3."id"
                  AND _4."item" = $1::text)))) IS NOT TRUE)))
    ORDER BY _0."id"), array(SELECT row(_5."id")
    FROM "market"."shops" AS _5
    WHERE ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _6
            WHERE _6."shop_id" = _5."id"))) OR (NOT (EXISTS (SELECT
            FROM "market"."sales" AS _7
            WHERE _7."shop_id" = _5."id"
            AND (((_7."item" = ANY ($2::text[])))) IS NOT TRUE))))
    ORDER BY _5."id");
-- $1: "map" of the document
-- $2: "{\"pen\",\"map\"}" of the document
-- _0 market.sales: every row
-- _1 market.shops: every row
-- _2 market.sales: every row
-- _3 market.shops: every row
-- _4 market.sales: every row
-- _5 market.shops: every row
-- _6 market.sales: every row
-- _7 market.sales: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "market"."sales" AS _0
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_0."shop_id")
          AND "s"."owner_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "market"."shops" AS _1
      WHERE (_1."owner_id" = $1::int4)
      AND _1."id" = _0."shop_id"
      AND NOT (EXISTS (SELECT
          FROM "market"."sales" AS _2
          WHERE ((EXISTS (SELECT
                FROM "market"."shops" AS "s"
                WHERE "s"."id" = (_2."shop_id")
                AND "s"."owner_id" = $1::int4)))
          AND _2."shop_id" = _1."id"
          AND ((EXISTS (SELECT
                FROM "market"."shops" AS _3
                WHERE (_3."owner_id" = $1::int4)
                AND _3."id" = _2."shop_id"
                AND EXISTS (SELECT
                  FROM "market"."sales" AS _4
                  WHERE ((EXISTS (SELECT
                        FROM "market"."shops" AS "s"
                        WHERE "s"."id" = (_4."shop_id")
                        AND "s"."owner_id" = $1::int4)))
                  AND _4."shop_id" = _3."id"
                  AND _4."item" = $2::text)))) IS NOT TRUE)))
    ORDER BY _0."id"), array(SELECT row(_5."id")
    FROM "market"."shops" AS _5
    WHERE (_5."owner_id" = $1::int4)
    AND ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _6
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_6."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _6."shop_id" = _5."id"))) OR (NOT (EXISTS (SELECT
            FROM "market"."sales" AS _7
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_7."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _7."shop_id" = _5."id"
            AND (((_7."item" = ANY ($3::text[])))) IS NOT TRUE))))
    ORDER BY _5."id");
-- $1: session value user_id, Int
-- $2: "map" of the document
-- $3: "{\"pen\",\"map\"}" of the document
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)
-- _1 market.shops: permissions.toml:272: owner_id = session.user_id
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.shops: permissions.toml:272: owner_id = session.user_id
-- _4 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.shops: permissions.toml:272: owner_id = session.user_id
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _7 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: staff
SELECT array(SELECT row(_0."id")
    FROM "market"."sales" AS _0
    WHERE (_0."quantity" > 0)
    AND EXISTS (SELECT
      FROM "market"."shops" AS _1
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_1."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _1."id" = _0."shop_id"
      AND NOT (EXISTS (SELECT
          FROM "market"."sales" AS _2
          WHERE (_2."quantity" > 0)
          AND _2."shop_id" = _1."id"
          AND ((EXISTS (SELECT
                FROM "market"."shops" AS _3
                WHERE ((EXISTS (SELECT
                      FROM "public"."memberships" AS "m"
                      WHERE "m"."team_id" = (_3."team_id")
                      AND "m"."user_id" = $1::int4)))
                AND _3."id" = _2."shop_id"
                AND EXISTS (SELECT
                  FROM "market"."sales" AS _4
                  WHERE (_4."quantity" > 0)
                  AND _4."shop_id" = _3."id"
                  AND _4."item" = $2::text)))) IS NOT TRUE)))
    ORDER BY _0."id"
    LIMIT 2), array(SELECT row(_5."id")
    FROM "market"."shops" AS _5
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_5."team_id")
          AND "m"."user_id" = $1::int4)))
    AND ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _6
            WHERE (_6."quantity" > 0)
            AND _6."shop_id" = _5."id"))) OR (NOT (EXISTS (SELECT
            FROM "market"."sales" AS _7
            WHERE (_7."quantity" > 0)
            AND _7."shop_id" = _5."id"
            AND (((_7."item" = ANY ($3::text[])))) IS NOT TRUE))))
    ORDER BY _5."id");
-- $1: session value user_id, Int
-- $2: "map" of the document
-- $3: "{\"pen\",\"map\"}" of the document
-- _0 market.sales: permissions.toml:287: quantity > 0
-- _1 market.shops: permissions.toml:275: member_of(team_id)
-- _2 market.sales: permissions.toml:287: quantity > 0
-- _3 market.shops: permissions.toml:275: member_of(team_id)
-- _4 market.sales: permissions.toml:287: quantity > 0
-- _5 market.shops: permissions.toml:275: member_of(team_id)
-- _6 market.sales: permissions.toml:287: quantity > 0
-- _7 market.sales: permissions.toml:287: quantity > 0
