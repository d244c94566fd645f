-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "market"."shops" AS _0
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _1
      WHERE _1."shop_id" = _0."id"
      HAVING (sum(_1."price") = $1::numeric))
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "market"."shops" AS _2
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _3
      WHERE _3."shop_id" = _2."id"
      HAVING (sum(DISTINCT _3."price") >= $2::numeric))
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "market"."shops" AS _4
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _5
      WHERE _5."shop_id" = _4."id"
      HAVING ((avg(_5."quantity") >= ($3::numeric[])[1]
          AND avg(_5."quantity") <= ($3::numeric[])[2])))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _7
      WHERE _7."shop_id" = _6."id"
      HAVING (max(_7."discount") > $4::float8))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "market"."shops" AS _8
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _9
      WHERE _9."shop_id" = _8."id"
      HAVING (min(_9."quantity") < $5::numeric))
    ORDER BY _8."id"), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _11
      WHERE _11."shop_id" = _10."id"
      HAVING (max(_11."quantity") IS NULL))
    ORDER BY _10."id"), array(SELECT row(_12."id")
    FROM "market"."shops" AS _12
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _13
      WHERE _13."shop_id" = _12."id"
      HAVING (stddev_samp(_13."quantity") > $6::numeric))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _14
      WHERE _14."shop_id" = _12."id"
      HAVING (var_samp(_14."quantity") > $7::numeric))
    ORDER BY _12."id"), array(SELECT row(_15."id")
    FROM "market"."shops" AS _15
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _16
      WHERE _16."shop_id" = _15."id"
      HAVING (corr(_16."quantity", _16."price") < $8::float8))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _17
      WHERE _17."shop_id" = _15."id"
      HAVING (covar_samp(_17."quantity", _17."price") <> $8::float8))
    ORDER BY _15."id");
-- $1: "15.34" of the document
-- $2: "13.84" of the document
-- $3: "{\"2\",\"3\"}" of the document
-- $4: "0.2" of the document
-- $5: "0" of the document
-- $6: "3" of the document
-- $7: "10" of the document
-- $8: "0" of the document
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
-- _17 market.sales: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id"
      FROM "market"."shops" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _1
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_1."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _1."shop_id" = _0."id"
      HAVING (sum(_1."price") = $2::numeric))
    ORDER BY _0."id"), array(SELECT row(_2."id")
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
      HAVING (sum(DISTINCT _3."price") >= $3::numeric))
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM (SELECT _4."id"
      FROM "market"."shops" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _5
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_5."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _5."shop_id" = _4."id"
      HAVING ((avg(_5."quantity") >= ($4::numeric[])[1]
          AND avg(_5."quantity") <= ($4::numeric[])[2])))
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "market"."shops" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _7
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_7."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _7."shop_id" = _6."id"
      HAVING (max(_7."discount") > $5::float8))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "market"."shops" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _9
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_9."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _9."shop_id" = _8."id"
      HAVING (min(_9."quantity") < $6::numeric))
    ORDER BY _8."id"), array(SELECT row(_10."id")
    FROM "market"."shops" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "market"."sales" AS _11
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_11."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _11."shop_id" = _10."id"
      HAVING (max(_11."quantity") IS NULL))
    ORDER BY _10."id"), array(SELECT row(_12."id")
    FROM (SELECT _12."id"
      FROM "market"."shops" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _13
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_13."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _13."shop_id" = _12."id"
      HAVING (stddev_samp(_13."quantity") > $7::numeric))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _14
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_14."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _14."shop_id" = _12."id"
      HAVING (var_samp(_14."quantity") > $8::numeric))
    ORDER BY _12."id"), array(SELECT row(_15."id")
    FROM (SELECT _15."id"
      FROM "market"."shops" AS _15
      WHERE (_15."owner_id" = $1::int4)
      OFFSET 0) AS _15
    WHERE EXISTS (SELECT
      FROM "market"."sales" AS _16
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_16."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _16."shop_id" = _15."id"
      HAVING (corr(_16."quantity", _16."price") < $9::float8))
    AND EXISTS (SELECT
      FROM "market"."sales" AS _17
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_17."shop_id")
            AND "s"."owner_id" = $1::int4)))
      AND _17."shop_id" = _15."id"
      HAVING (covar_samp(_17."quantity", _17."price") <> $9::float8))
    ORDER BY _15."id");
-- $1: session value user_id, Int
-- $2: "15.34" of the document
-- $3: "13.84" of the document
-- $4: "{\"2\",\"3\"}" of the document
-- $5: "0.2" of the document
-- $6: "0" of the document
-- $7: "3" of the document
-- $8: "10" of the document
-- $9: "0" of the document
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
-- _17 market.sales: permissions.toml:284: own_shop(shop_id)
