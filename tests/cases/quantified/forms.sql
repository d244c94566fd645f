-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "market"."shops" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE _3."shop_id" = _2."id"
      AND _3."item" = $1::text)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM "market"."shops" AS _5
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _6
      WHERE _6."shop_id" = _5."id"
      AND _6."item" = $1::text)
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, _8."id", null::int2
    FROM "market"."shops" AS _8
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE _9."shop_id" = _8."id"
        AND (((_9."quantity" > $2::int4))) IS NOT TRUE))
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _11."id", null::int2
    FROM "market"."shops" AS _11
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _12
        WHERE _12."shop_id" = _11."id"
        AND _12."item" = $1::text))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, _14."id", null::int2
    FROM "market"."shops" AS _14
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _15
        WHERE _15."shop_id" = _14."id"))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _17."id", null::int2
    FROM "market"."shops" AS _17
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _18
        WHERE _18."shop_id" = _17."id"
        AND (true) IS NOT TRUE))
    ORDER BY _17."id") UNION ALL (SELECT 6::int2, _20."id", null::int2
    FROM "market"."shops" AS _20
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _21
        WHERE _21."shop_id" = _20."id"
        AND _21."item" = $3::text))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _22
      WHERE _22."shop_id" = _20."id"
      AND _22."item" = $4::text
      AND _22."quantity" > $5::int4)
    ORDER BY _20."id") UNION ALL (SELECT 7::int2, _24."id", null::int2
    FROM "market"."shops" AS _24
    WHERE NOT ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _25
            WHERE _25."shop_id" = _24."id"
            AND (((_25."quantity" > $2::int4))) IS NOT TRUE))))
    ORDER BY _24."id") UNION ALL SELECT 8::int2, null::int4, _0.c0
  FROM _0;
-- $1: "ink" of the document
-- $2: "0" of the document
-- $3: "map" of the document
-- $4: "pen" of the document
-- $5: "1" of the document
-- _2 market.shops: every row
-- _3 market.sales: every row
-- _5 market.shops: every row
-- _6 market.sales: every row
-- _8 market.shops: every row
-- _9 market.sales: every row
-- _11 market.shops: every row
-- _12 market.sales: every row
-- _14 market.shops: every row
-- _15 market.sales: every row
-- _17 market.shops: every row
-- _18 market.sales: every row
-- _20 market.shops: every row
-- _21 market.sales: every row
-- _22 market.sales: every row
-- _24 market.shops: every row
-- _25 market.sales: every row

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
        AND (((_9."quantity" > $3::int4))) IS NOT TRUE))
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _11."id", null::int2
    FROM (SELECT _11."id"
      FROM "market"."shops" AS _11
      WHERE (_11."owner_id" = $1::int4)
      OFFSET 0) AS _11
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _12
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_12."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _12."shop_id" = _11."id"
        AND _12."item" = $2::text))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, _14."id", null::int2
    FROM (SELECT _14."id"
      FROM "market"."shops" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _15
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_15."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _15."shop_id" = _14."id"))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _17."id", null::int2
    FROM (SELECT _17."id"
      FROM "market"."shops" AS _17
      WHERE (_17."owner_id" = $1::int4)
      OFFSET 0) AS _17
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _18
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_18."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _18."shop_id" = _17."id"
        AND (true) IS NOT TRUE))
    ORDER BY _17."id") UNION ALL (SELECT 6::int2, _20."id", null::int2
    FROM (SELECT _20."id"
      FROM "market"."shops" AS _20
      WHERE (_20."owner_id" = $1::int4)
      OFFSET 0) AS _20
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _21
        WHERE ((EXISTS (SELECT
              FROM "market"."shops" AS "s"
              WHERE "s"."id" = (_21."shop_id")
              AND "s"."owner_id" = $1::int4)))
        AND _21."shop_id" = _20."id"
        AND _21."item" = $4::text))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _22
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_22."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _22."shop_id" = _20."id"
      AND _22."item" = $5::text
      AND _22."quantity" > $6::int4)
    ORDER BY _20."id") UNION ALL (SELECT 7::int2, _24."id", null::int2
    FROM (SELECT _24."id"
      FROM "market"."shops" AS _24
      WHERE (_24."owner_id" = $1::int4)
      OFFSET 0) AS _24
    WHERE NOT ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _25
            WHERE ((EXISTS (SELECT
                  FROM "market"."shops" AS "s"
                  WHERE "s"."id" = (_25."shop_id")
                  AND "s"."owner_id" = $1::int4)))
            AND _25."shop_id" = _24."id"
            AND (((_25."quantity" > $3::int4))) IS NOT TRUE))))
    ORDER BY _24."id") UNION ALL SELECT 8::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "ink" of the document
-- $3: "0" of the document
-- $4: "map" of the document
-- $5: "pen" of the document
-- $6: "1" of the document
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
-- _20 market.shops: permissions.toml:272: owner_id = session.user_id
-- _21 market.sales: permissions.toml:284: own_shop(shop_id)
-- _22 market.sales: permissions.toml:284: own_shop(shop_id)
-- _24 market.shops: permissions.toml:272: owner_id = session.user_id
-- _25 market.sales: permissions.toml:284: own_shop(shop_id)

-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id"
      FROM "market"."shops" AS _2
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE (_3."quantity" > 0)
      AND _3."shop_id" = _2."id"
      AND _3."item" = $2::text)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM (SELECT _5."id"
      FROM "market"."shops" AS _5
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_5."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _5
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _6
      WHERE (_6."quantity" > 0)
      AND _6."shop_id" = _5."id"
      AND _6."item" = $2::text)
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, _8."id", null::int2
    FROM (SELECT _8."id"
      FROM "market"."shops" AS _8
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_8."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _8
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _9
        WHERE (_9."quantity" > 0)
        AND _9."shop_id" = _8."id"
        AND (((_9."quantity" > $3::int4))) IS NOT TRUE))
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, _11."id", null::int2
    FROM (SELECT _11."id"
      FROM "market"."shops" AS _11
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_11."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _11
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _12
        WHERE (_12."quantity" > 0)
        AND _12."shop_id" = _11."id"
        AND _12."item" = $2::text))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, _14."id", null::int2
    FROM (SELECT _14."id"
      FROM "market"."shops" AS _14
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_14."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _14
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _15
        WHERE (_15."quantity" > 0)
        AND _15."shop_id" = _14."id"))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _17."id", null::int2
    FROM (SELECT _17."id"
      FROM "market"."shops" AS _17
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_17."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _17
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _18
        WHERE (_18."quantity" > 0)
        AND _18."shop_id" = _17."id"
        AND (true) IS NOT TRUE))
    ORDER BY _17."id") UNION ALL (SELECT 6::int2, _20."id", null::int2
    FROM (SELECT _20."id"
      FROM "market"."shops" AS _20
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_20."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _20
    WHERE NOT (EXISTS (SELECT
        FROM "market"."sales" AS _21
        WHERE (_21."quantity" > 0)
        AND _21."shop_id" = _20."id"
        AND _21."item" = $4::text))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _22
      WHERE (_22."quantity" > 0)
      AND _22."shop_id" = _20."id"
      AND _22."item" = $5::text
      AND _22."quantity" > $6::int4)
    ORDER BY _20."id") UNION ALL (SELECT 7::int2, _24."id", null::int2
    FROM (SELECT _24."id"
      FROM "market"."shops" AS _24
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_24."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _24
    WHERE NOT ((NOT (EXISTS (SELECT
            FROM "market"."sales" AS _25
            WHERE (_25."quantity" > 0)
            AND _25."shop_id" = _24."id"
            AND (((_25."quantity" > $3::int4))) IS NOT TRUE))))
    ORDER BY _24."id") UNION ALL SELECT 8::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "ink" of the document
-- $3: "0" of the document
-- $4: "map" of the document
-- $5: "pen" of the document
-- $6: "1" of the document
-- _2 market.shops: permissions.toml:275: member_of(team_id)
-- _3 market.sales: permissions.toml:287: quantity > 0
-- _5 market.shops: permissions.toml:275: member_of(team_id)
-- _6 market.sales: permissions.toml:287: quantity > 0
-- _8 market.shops: permissions.toml:275: member_of(team_id)
-- _9 market.sales: permissions.toml:287: quantity > 0
-- _11 market.shops: permissions.toml:275: member_of(team_id)
-- _12 market.sales: permissions.toml:287: quantity > 0
-- _14 market.shops: permissions.toml:275: member_of(team_id)
-- _15 market.sales: permissions.toml:287: quantity > 0
-- _17 market.shops: permissions.toml:275: member_of(team_id)
-- _18 market.sales: permissions.toml:287: quantity > 0
-- _20 market.shops: permissions.toml:275: member_of(team_id)
-- _21 market.sales: permissions.toml:287: quantity > 0
-- _22 market.sales: permissions.toml:287: quantity > 0
-- _24 market.shops: permissions.toml:275: member_of(team_id)
-- _25 market.sales: permissions.toml:287: quantity > 0
