-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _1
      WHERE _1."shop_id" = _0."id"
      AND _1."item" = $1::text)
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE _3."shop_id" = _2."id"
      AND _3."item" = $1::text)
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _5
        WHERE _5."shop_id" = _4."id"
        AND (((_5."quantity" > $2::int4))) IS NOT TRUE))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _7
        WHERE _7."shop_id" = _6."id"
        AND _7."item" = $1::text))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "market"."shops" AS _8
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE _9."shop_id" = _8."id"))
    ORDER BY _8."id"), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _11
        WHERE _11."shop_id" = _10."id"
        AND (true) IS NOT TRUE))
    ORDER BY _10."id"), array(SELECT row(_12."id")
    FROM "market"."shops" AS _12
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _13
        WHERE _13."shop_id" = _12."id"
        AND _13."item" = $3::text))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _14
      WHERE _14."shop_id" = _12."id"
      AND _14."item" = $4::text
      AND _14."quantity" > $5::int4)
    ORDER BY _12."id"), array(SELECT row(_15."id")
    FROM "market"."shops" AS _15
    WHERE NOT ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _16
            WHERE _16."shop_id" = _15."id"
            AND (((_16."quantity" > $2::int4))) IS NOT TRUE))))
    ORDER BY _15."id");
-- $1: "ink" of the document
-- $2: "0" of the document
-- $3: "map" of the document
-- $4: "pen" of the document
-- $5: "1" of the document
-- _0 market.shops: every row
-- _1 market.sales: every row
-- _2 market.shops: every row
-- _3 market.sales: every row
-- _4 market.shops: every row
-- _5 market.sales: every row
-- _6 market.shops: every row
-- _7 market.sales: every row
-- _8 market.shops: every row
-- _9 market.sales: every row
-- _10 market.shops: every row
-- _11 market.sales: every row
-- _12 market.shops: every row
-- _13 market.sales: every row
-- _14 market.sales: every row
-- _15 market.shops: every row
-- _16 market.sales: every row

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
      AND _1."item" = $2::text)
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_3."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _3."shop_id" = _2."id"
      AND _3."item" = $2::text)
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _5
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_5."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _5."shop_id" = _4."id"
        AND (((_5."quantity" > $3::int4))) IS NOT TRUE))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _7
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_7."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _7."shop_id" = _6."id"
        AND _7."item" = $2::text))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "market"."shops" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_9."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _9."shop_id" = _8."id"))
    ORDER BY _8."id"), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _11
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_11."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _11."shop_id" = _10."id"
        AND (true) IS NOT TRUE))
    ORDER BY _10."id"), array(SELECT row(_12."id")
    FROM "market"."shops" AS _12
    WHERE (_12."owner_id" = $1::int4)
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _13
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_13."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _13."shop_id" = _12."id"
        AND _13."item" = $4::text))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _14
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_14."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _14."shop_id" = _12."id"
      AND _14."item" = $5::text
      AND _14."quantity" > $6::int4)
    ORDER BY _12."id"), array(SELECT row(_15."id")
    FROM "market"."shops" AS _15
    WHERE (_15."owner_id" = $1::int4)
    AND NOT ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _16
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_16."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _16."shop_id" = _15."id"
            AND (((_16."quantity" > $3::int4))) IS NOT TRUE))))
    ORDER BY _15."id");
-- $1: session value user_id, Int
-- $2: "ink" of the document
-- $3: "0" of the document
-- $4: "map" of the document
-- $5: "pen" of the document
-- $6: "1" of the document
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
-- _12 market.shops: permissions.toml:272: owner_id = session.user_id
-- _13 market.sales: permissions.toml:284: own_shop(shop_id)
-- _14 market.sales: permissions.toml:284: own_shop(shop_id)
-- _15 market.shops: permissions.toml:272: owner_id = session.user_id
-- _16 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: staff
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _1
      WHERE (_1."quantity" > 0)
      AND _1."shop_id" = _0."id"
      AND _1."item" = $2::text)
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE (_3."quantity" > 0)
      AND _3."shop_id" = _2."id"
      AND _3."item" = $2::text)
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _5
        WHERE (_5."quantity" > 0)
        AND _5."shop_id" = _4."id"
        AND (((_5."quantity" > $3::int4))) IS NOT TRUE))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_6."team_id")
          AND "m"."user_id" = $1::int4)))
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _7
        WHERE (_7."quantity" > 0)
        AND _7."shop_id" = _6."id"
        AND _7."item" = $2::text))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "market"."shops" AS _8
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_8."team_id")
          AND "m"."user_id" = $1::int4)))
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE (_9."quantity" > 0)
        AND _9."shop_id" = _8."id"))
    ORDER BY _8."id"), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_10."team_id")
          AND "m"."user_id" = $1::int4)))
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _11
        WHERE (_11."quantity" > 0)
        AND _11."shop_id" = _10."id"
        AND (true) IS NOT TRUE))
    ORDER BY _10."id"), array(SELECT row(_12."id")
    FROM "market"."shops" AS _12
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_12."team_id")
          AND "m"."user_id" = $1::int4)))
    AND NOT (EXISTS (SELECT
        FROM "market"."sales" AS _13
        WHERE (_13."quantity" > 0)
        AND _13."shop_id" = _12."id"
        AND _13."item" = $4::text))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _14
      WHERE (_14."quantity" > 0)
      AND _14."shop_id" = _12."id"
      AND _14."item" = $5::text
      AND _14."quantity" > $6::int4)
    ORDER BY _12."id"), array(SELECT row(_15."id")
    FROM "market"."shops" AS _15
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_15."team_id")
          AND "m"."user_id" = $1::int4)))
    AND NOT ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _16
            WHERE (_16."quantity" > 0)
            AND _16."shop_id" = _15."id"
            AND (((_16."quantity" > $3::int4))) IS NOT TRUE))))
    ORDER BY _15."id");
-- $1: session value user_id, Int
-- $2: "ink" of the document
-- $3: "0" of the document
-- $4: "map" of the document
-- $5: "pen" of the document
-- $6: "1" of the document
-- _0 market.shops: permissions.toml:275: member_of(team_id)
-- _1 market.sales: permissions.toml:287: quantity > 0
-- _2 market.shops: permissions.toml:275: member_of(team_id)
-- _3 market.sales: permissions.toml:287: quantity > 0
-- _4 market.shops: permissions.toml:275: member_of(team_id)
-- _5 market.sales: permissions.toml:287: quantity > 0
-- _6 market.shops: permissions.toml:275: member_of(team_id)
-- _7 market.sales: permissions.toml:287: quantity > 0
-- _8 market.shops: permissions.toml:275: member_of(team_id)
-- _9 market.sales: permissions.toml:287: quantity > 0
-- _10 market.shops: permissions.toml:275: member_of(team_id)
-- _11 market.sales: permissions.toml:287: quantity > 0
-- _12 market.shops: permissions.toml:275: member_of(team_id)
-- _13 market.sales: permissions.toml:287: quantity > 0
-- _14 market.sales: permissions.toml:287: quantity > 0
-- _15 market.shops: permissions.toml:275: member_of(team_id)
-- _16 market.sales: permissions.toml:287: quantity > 0
