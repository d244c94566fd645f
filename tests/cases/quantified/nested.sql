-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "market"."sales" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."shops" AS _3
      WHERE _3."id" = _2."shop_id"
      AND NOT (EXISTS (SELECT
          FROM "market"."sales" AS _4
          WHERE _4."shop_id" = _3."id"
          AND ((EXISTS (SELECT
                FROM "market"."shops" AS _5
                WHERE _5."id" = _4."shop_id"
                AND EXISTS (SELECT
                  FROM "market"."sales" AS _6
                  WHERE _6."shop_id" = _5."id"
                  AND _6."item" = $1::text)))) IS NOT TRUE)))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _8."id", null::int2
    FROM "market"."shops" AS _8
    WHERE ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _9
            WHERE _9."shop_id" = _8."id"))) OR (NOT (EXISTS (SELECT
            FROM "market"."sales" AS _10
            WHERE _10."shop_id" = _8."id"
            AND (((_10."item" = ANY ($2::text[])))) IS NOT TRUE))))
    ORDER BY _8."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: "map" of the document
-- $2: "{\"pen\",\"map\"}" of the document
-- _2 market.sales: every row
-- _3 market.shops: every row
-- _4 market.sales: every row
-- _5 market.shops: every row
-- _6 market.sales: every row
-- _8 market.shops: every row
-- _9 market.sales: every row
-- _10 market.sales: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."shop_id"
      FROM "market"."sales" AS _2
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_2."shop_id")
            AND "s"."owner_id" = $1::int4)))
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM (SELECT _3."id"
        FROM "market"."shops" AS _3
        WHERE (_3."owner_id" = $1::int4)
        AND _3."id" = _2."shop_id"
        OFFSET 0) AS _3
      WHERE NOT (EXISTS (SELECT
          FROM (SELECT _4."shop_id"
            FROM "market"."sales" AS _4
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_4."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _4."shop_id" = _3."id"
            OFFSET 0) AS _4
          WHERE ((EXISTS (SELECT
                FROM (SELECT _5."id"
                  FROM "market"."shops" AS _5
                  WHERE (_5."owner_id" = $1::int4)
                  AND _5."id" = _4."shop_id"
                  OFFSET 0) AS _5
                WHERE EXISTS (SELECT
                  FROM "market"."sales" AS _6
                  WHERE ((EXISTS (SELECT
                        FROM "market"."shops" AS "s"
                        WHERE "s"."id" = (_6."shop_id")
                        AND "s"."owner_id" = $1::int4)))
                  AND _6."shop_id" = _5."id"
                  AND _6."item" = $2::text)))) IS NOT TRUE)))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _8."id", null::int2
    FROM (SELECT _8."id"
      FROM "market"."shops" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _9
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_9."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _9."shop_id" = _8."id"))) OR (NOT (EXISTS (SELECT
            FROM "market"."sales" AS _10
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_10."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _10."shop_id" = _8."id"
            AND (((_10."item" = ANY ($3::text[])))) IS NOT TRUE))))
    ORDER BY _8."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "map" of the document
-- $3: "{\"pen\",\"map\"}" of the document
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.shops: permissions.toml:272: owner_id = session.user_id
-- _4 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.shops: permissions.toml:272: owner_id = session.user_id
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)
-- _8 market.shops: permissions.toml:272: owner_id = session.user_id
-- _9 market.sales: permissions.toml:284: own_shop(shop_id)
-- _10 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."shop_id"
      FROM "market"."sales" AS _2
      WHERE (_2."quantity" > 0)
      ORDER BY _2."id"
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM (SELECT _3."id"
        FROM "market"."shops" AS _3
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_3."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _3."id" = _2."shop_id"
        OFFSET 0) AS _3
      WHERE NOT (EXISTS (SELECT
          FROM (SELECT _4."shop_id"
            FROM "market"."sales" AS _4
            WHERE (_4."quantity" > 0)
            AND _4."shop_id" = _3."id"
            OFFSET 0) AS _4
          WHERE ((EXISTS (SELECT
                FROM (SELECT _5."id"
                  FROM "market"."shops" AS _5
                  WHERE ((EXISTS (SELECT
                        FROM "public"."memberships" AS "m"
                        WHERE "m"."team_id" = (_5."team_id")
                        AND "m"."user_id" = $1::int4)))
                  AND _5."id" = _4."shop_id"
                  OFFSET 0) AS _5
                WHERE EXISTS (SELECT
                  FROM "market"."sales" AS _6
                  WHERE (_6."quantity" > 0)
                  AND _6."shop_id" = _5."id"
                  AND _6."item" = $2::text)))) IS NOT TRUE)))
    ORDER BY _2."id"
    LIMIT 2) UNION ALL (SELECT 1::int2, _8."id", null::int2
    FROM (SELECT _8."id"
      FROM "market"."shops" AS _8
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_8."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _8
    WHERE ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _9
            WHERE (_9."quantity" > 0)
            AND _9."shop_id" = _8."id"))) OR (NOT (EXISTS (SELECT
            FROM "market"."sales" AS _10
            WHERE (_10."quantity" > 0)
            AND _10."shop_id" = _8."id"
            AND (((_10."item" = ANY ($3::text[])))) IS NOT TRUE))))
    ORDER BY _8."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "map" of the document
-- $3: "{\"pen\",\"map\"}" of the document
-- _2 market.sales: permissions.toml:287: quantity > 0
-- _3 market.shops: permissions.toml:275: member_of(team_id)
-- _4 market.sales: permissions.toml:287: quantity > 0
-- _5 market.shops: permissions.toml:275: member_of(team_id)
-- _6 market.sales: permissions.toml:287: quantity > 0
-- _8 market.shops: permissions.toml:275: member_of(team_id)
-- _9 market.sales: permissions.toml:287: quantity > 0
-- _10 market.sales: permissions.toml:287: quantity > 0
