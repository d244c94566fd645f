-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    WHERE EXISTS (SELECT
      FROM "public"."users" AS _1
      WHERE _1."id" = _0."user_id"
      AND _1."name" ~~ $1::text)
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _3
      WHERE _3."user_id" = _2."id"
      AND _3."Total Amount" >= $2::numeric)
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "public"."users" AS _4
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _5
      WHERE _5."user_id" = _4."id")
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "public"."users" AS _6
    WHERE NOT ((EXISTS (SELECT
          FROM "public"."or""ders" AS _7
          WHERE _7."user_id" = _6."id")))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "public"."users" AS _8
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _9
      WHERE _9."user_id" = _8."id"
      AND EXISTS (SELECT
        FROM "public"."order_lines" AS _10
        WHERE _10."order_id" = _9."id"
        AND EXISTS (SELECT
          FROM "public"."products" AS _11
          WHERE _11."id" = _10."product_id"
          AND _11."title" ~~* $3::text)))
    ORDER BY _8."id"), array(SELECT row(_12."id")
    FROM "public"."or""ders" AS _12
    WHERE EXISTS (SELECT
      FROM "public"."teams" AS _13
      WHERE _13."id" = _12."team_id"
      AND EXISTS (SELECT
        FROM "public"."users" AS _14
        WHERE _14."team_id" = _13."id"
        AND EXISTS (SELECT
          FROM "public"."or""ders" AS _15
          WHERE _15."user_id" = _14."id"
          AND _15."id" = $4::int8)))
    ORDER BY _12."id"), array(SELECT row(_16."id")
    FROM "public"."or""ders" AS _16
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _17
      WHERE _17."id" = _16."parent_id"
      AND EXISTS (SELECT
        FROM "public"."or""ders" AS _18
        WHERE _18."id" = _17."parent_id"
        AND _18."id" = $5::int8))
    ORDER BY _16."id"), array(SELECT row(_19."id")
    FROM "public"."or""ders" AS _19
    WHERE ((EXISTS (SELECT
          FROM "public"."teams" AS _20
          WHERE _20."id" = _19."team_id"
          AND _20."name" = $6::text)) OR (EXISTS (SELECT
          FROM "public"."or""ders" AS _21
          WHERE _21."parent_id" = _19."id")))
    ORDER BY _19."id"), array(SELECT row(_22."order_id", _22."line_no")
    FROM "public"."order_lines" AS _22
    WHERE EXISTS (SELECT
      FROM "public"."shipments" AS _23
      WHERE _23."order_id" = _22."order_id"
      AND _23."line_no" = _22."line_no"
      AND _23."carrier" IS NOT NULL)
    ORDER BY _22."order_id", _22."line_no");
-- $1: "%" of the document
-- $2: "0" of the document
-- $3: "%pen%" of the document
-- $4: "12" of the document
-- $5: "10" of the document
-- $6: "north" of the document
-- _0 public.or"ders: every row
-- _1 public.users: every row
-- _2 public.users: every row
-- _3 public.or"ders: every row
-- _4 public.users: every row
-- _5 public.or"ders: every row
-- _6 public.users: every row
-- _7 public.or"ders: every row
-- _8 public.users: every row
-- _9 public.or"ders: every row
-- _10 public.order_lines: every row
-- _11 public.products: every row
-- _12 public.or"ders: every row
-- _13 public.teams: every row
-- _14 public.users: every row
-- _15 public.or"ders: every row
-- _16 public.or"ders: every row
-- _17 public.or"ders: every row
-- _18 public.or"ders: every row
-- _19 public.or"ders: every row
-- _20 public.teams: every row
-- _21 public.or"ders: every row
-- _22 public.order_lines: every row
-- _23 public.shipments: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "public"."users" AS _1
      WHERE (_1."id" = $1::int4)
      AND _1."id" = _0."user_id"
      AND _1."name" ~~ $2::text)
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    AND EXISTS (SELECT
      FROM "public"."or""ders" AS _3
      WHERE (_3."user_id" = $1::int4)
      AND _3."user_id" = _2."id"
      AND _3."Total Amount" >= $3::numeric)
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "public"."users" AS _4
    WHERE (_4."id" = $1::int4)
    AND EXISTS (SELECT
      FROM "public"."or""ders" AS _5
      WHERE (_5."user_id" = $1::int4)
      AND _5."user_id" = _4."id")
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "public"."users" AS _6
    WHERE (_6."id" = $1::int4)
    AND NOT ((EXISTS (SELECT
          FROM "public"."or""ders" AS _7
          WHERE (_7."user_id" = $1::int4)
          AND _7."user_id" = _6."id")))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "public"."users" AS _8
    WHERE (_8."id" = $1::int4)
    AND EXISTS (SELECT
      FROM "public"."or""ders" AS _9
      WHERE (_9."user_id" = $1::int4)
      AND _9."user_id" = _8."id"
      AND EXISTS (SELECT
        FROM "public"."order_lines" AS _10
        WHERE (((_10."order_id") IN (SELECT "o"."id"
              FROM "public"."or""ders" AS "o"
              WHERE "o"."user_id" = $1::int4)))
        AND _10."order_id" = _9."id"
        AND EXISTS (SELECT
          FROM "public"."products" AS _11
          WHERE (NOT _11."hidden")
          AND _11."id" = _10."product_id"
          AND _11."title" ~~* $4::text)))
    ORDER BY _8."id"), array(SELECT row(_12."id")
    FROM "public"."or""ders" AS _12
    WHERE (_12."user_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "public"."teams" AS _13
      WHERE _13."id" = _12."team_id"
      AND EXISTS (SELECT
        FROM "public"."users" AS _14
        WHERE (_14."id" = $1::int4)
        AND _14."team_id" = _13."id"
        AND EXISTS (SELECT
          FROM "public"."or""ders" AS _15
          WHERE (_15."user_id" = $1::int4)
          AND _15."user_id" = _14."id"
          AND _15."id" = $5::int8)))
    ORDER BY _12."id"), array(SELECT row(_16."id")
    FROM "public"."or""ders" AS _16
    WHERE (_16."user_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "public"."or""ders" AS _17
      WHERE (_17."user_id" = $1::int4)
      AND _17."id" = _16."parent_id"
      AND EXISTS (SELECT
        FROM "public"."or""ders" AS _18
        WHERE (_18."user_id" = $1::int4)
        AND _18."id" = _17."parent_id"
        AND _18."id" = $6::int8))
    ORDER BY _16."id"), array(SELECT row(_19."id")
    FROM "public"."or""ders" AS _19
    WHERE (_19."user_id" = $1::int4)
    AND ((EXISTS (SELECT
          FROM "public"."teams" AS _20
          WHERE _20."id" = _19."team_id"
          AND _20."name" = $7::text)) OR (EXISTS (SELECT
          FROM "public"."or""ders" AS _21
          WHERE (_21."user_id" = $1::int4)
          AND _21."parent_id" = _19."id")))
    ORDER BY _19."id"), array(SELECT row(_22."order_id", _22."line_no")
    FROM "public"."order_lines" AS _22
    WHERE (((_22."order_id") IN (SELECT "o"."id"
          FROM "public"."or""ders" AS "o"
          WHERE "o"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "public"."shipments" AS _23
      WHERE (((_23."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _23."order_id" = _22."order_id"
      AND _23."line_no" = _22."line_no"
      AND _23."carrier" IS NOT NULL)
    ORDER BY _22."order_id", _22."line_no");
-- $1: session value user_id, Int
-- $2: "%" of the document
-- $3: "0" of the document
-- $4: "%pen%" of the document
-- $5: "12" of the document
-- $6: "10" of the document
-- $7: "north" of the document
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _6 public.users: permissions.toml:51: id = session.user_id
-- _7 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _9 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _10 public.order_lines: permissions.toml:131: own_order(order_id)
-- _11 public.products: permissions.toml:74: NOT hidden
-- _12 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _13 public.teams: permissions.toml:30: true
-- _14 public.users: permissions.toml:51: id = session.user_id
-- _15 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _16 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _17 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _18 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _19 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _20 public.teams: permissions.toml:30: true
-- _21 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _22 public.order_lines: permissions.toml:131: own_order(order_id)
-- _23 public.shipments: permissions.toml:140: own_order(order_id)

-- role: staff
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "public"."users" AS _1
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_1."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _1."id" = _0."user_id"
      AND _1."name" ~~ $2::text)
    ORDER BY _0."id"), array(SELECT row(_2."id")
    FROM "public"."users" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "public"."or""ders" AS _3
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_3."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _3."user_id" = _2."id"
      AND _3."Total Amount" >= $3::numeric)
    ORDER BY _2."id"), array(SELECT row(_4."id")
    FROM "public"."users" AS _4
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_4."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "public"."or""ders" AS _5
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_5."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _5."user_id" = _4."id")
    ORDER BY _4."id"), array(SELECT row(_6."id")
    FROM "public"."users" AS _6
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_6."team_id")
          AND "m"."user_id" = $1::int4)))
    AND NOT ((EXISTS (SELECT
          FROM "public"."or""ders" AS _7
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_7."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _7."user_id" = _6."id")))
    ORDER BY _6."id"), array(SELECT row(_8."id")
    FROM "public"."users" AS _8
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_8."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "public"."or""ders" AS _9
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_9."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _9."user_id" = _8."id"
      AND EXISTS (SELECT
        FROM "public"."order_lines" AS _10
        WHERE ((EXISTS (SELECT
              FROM "public"."or""ders" AS "o"
              WHERE "o"."id" = (_10."order_id")
              AND (EXISTS (SELECT
                  FROM "public"."memberships" AS "m"
                  WHERE "m"."team_id" = ("o"."team_id")
                  AND "m"."user_id" = $1::int4)))))
        AND _10."order_id" = _9."id"
        AND EXISTS (SELECT
          FROM "public"."products" AS _11
          WHERE _11."id" = _10."product_id"
          AND _11."title" ~~* $4::text)))
    ORDER BY _8."id"), array(SELECT row(_12."id")
    FROM "public"."or""ders" AS _12
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_12."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "public"."teams" AS _13
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_13."id")
            AND "m"."user_id" = $1::int4)))
      AND _13."id" = _12."team_id"
      AND EXISTS (SELECT
        FROM "public"."users" AS _14
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_14."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _14."team_id" = _13."id"
        AND EXISTS (SELECT
          FROM "public"."or""ders" AS _15
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_15."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _15."user_id" = _14."id"
          AND _15."id" = $5::int8)))
    ORDER BY _12."id"), array(SELECT row(_16."id")
    FROM "public"."or""ders" AS _16
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_16."team_id")
          AND "m"."user_id" = $1::int4)))
    AND EXISTS (SELECT
      FROM "public"."or""ders" AS _17
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_17."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _17."id" = _16."parent_id"
      AND EXISTS (SELECT
        FROM "public"."or""ders" AS _18
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_18."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _18."id" = _17."parent_id"
        AND _18."id" = $6::int8))
    ORDER BY _16."id"), array(SELECT row(_19."id")
    FROM "public"."or""ders" AS _19
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_19."team_id")
          AND "m"."user_id" = $1::int4)))
    AND ((EXISTS (SELECT
          FROM "public"."teams" AS _20
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_20."id")
                AND "m"."user_id" = $1::int4)))
          AND _20."id" = _19."team_id"
          AND _20."name" = $7::text)) OR (EXISTS (SELECT
          FROM "public"."or""ders" AS _21
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_21."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _21."parent_id" = _19."id")))
    ORDER BY _19."id"), array(SELECT row(_22."order_id", _22."line_no")
    FROM "public"."order_lines" AS _22
    WHERE ((EXISTS (SELECT
          FROM "public"."or""ders" AS "o"
          WHERE "o"."id" = (_22."order_id")
          AND (EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = ("o"."team_id")
              AND "m"."user_id" = $1::int4)))))
    AND EXISTS (SELECT
      FROM "public"."shipments" AS _23
      WHERE ((EXISTS (SELECT
            FROM "public"."or""ders" AS "o"
            WHERE "o"."id" = (_23."order_id")
            AND (EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = ("o"."team_id")
                AND "m"."user_id" = $1::int4)))) OR _23."order_id" IS NULL)
      AND _23."order_id" = _22."order_id"
      AND _23."line_no" = _22."line_no"
      AND _23."carrier" IS NOT NULL)
    ORDER BY _22."order_id", _22."line_no"
    LIMIT 2);
-- $1: session value user_id, Int
-- $2: "%" of the document
-- $3: "0" of the document
-- $4: "%pen%" of the document
-- $5: "12" of the document
-- $6: "10" of the document
-- $7: "north" of the document
-- _0 public.or"ders: permissions.toml:121: member_of(team_id)
-- _1 public.users: permissions.toml:54: member_of(team_id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
-- _4 public.users: permissions.toml:54: member_of(team_id)
-- _5 public.or"ders: permissions.toml:121: member_of(team_id)
-- _6 public.users: permissions.toml:54: member_of(team_id)
-- _7 public.or"ders: permissions.toml:121: member_of(team_id)
-- _8 public.users: permissions.toml:54: member_of(team_id)
-- _9 public.or"ders: permissions.toml:121: member_of(team_id)
-- _10 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _11 public.products: permissions.toml:77: true
-- _12 public.or"ders: permissions.toml:121: member_of(team_id)
-- _13 public.teams: permissions.toml:33: member_of(id)
-- _14 public.users: permissions.toml:54: member_of(team_id)
-- _15 public.or"ders: permissions.toml:121: member_of(team_id)
-- _16 public.or"ders: permissions.toml:121: member_of(team_id)
-- _17 public.or"ders: permissions.toml:121: member_of(team_id)
-- _18 public.or"ders: permissions.toml:121: member_of(team_id)
-- _19 public.or"ders: permissions.toml:121: member_of(team_id)
-- _20 public.teams: permissions.toml:33: member_of(id)
-- _21 public.or"ders: permissions.toml:121: member_of(team_id)
-- _22 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _23 public.shipments: permissions.toml:143: order_of_team(order_id) OR order_id IS NULL
