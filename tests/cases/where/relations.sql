-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int4, null::int2
    FROM "public"."or""ders" AS _2
    WHERE EXISTS (SELECT
      FROM "public"."users" AS _3
      WHERE _3."id" = _2."user_id"
      AND _3."name" ~~ $1::text)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, null::int8, _5."id", null::int2
    FROM "public"."users" AS _5
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _6
      WHERE _6."user_id" = _5."id"
      AND _6."Total Amount" >= $2::numeric)
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, null::int8, _8."id", null::int2
    FROM "public"."users" AS _8
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _9
      WHERE _9."user_id" = _8."id")
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, null::int8, _11."id", null::int2
    FROM "public"."users" AS _11
    WHERE NOT ((EXISTS (SELECT
          FROM "public"."or""ders" AS _12
          WHERE _12."user_id" = _11."id")))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, null::int8, _14."id", null::int2
    FROM "public"."users" AS _14
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _15
      WHERE _15."user_id" = _14."id"
      AND EXISTS (SELECT
        FROM "public"."order_lines" AS _16
        WHERE _16."order_id" = _15."id"
        AND EXISTS (SELECT
          FROM "public"."products" AS _17
          WHERE _17."id" = _16."product_id"
          AND _17."title" ~~* $3::text)))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _19."id", null::int4, null::int2
    FROM "public"."or""ders" AS _19
    WHERE EXISTS (SELECT
      FROM "public"."teams" AS _20
      WHERE _20."id" = _19."team_id"
      AND EXISTS (SELECT
        FROM "public"."users" AS _21
        WHERE _21."team_id" = _20."id"
        AND EXISTS (SELECT
          FROM "public"."or""ders" AS _22
          WHERE _22."user_id" = _21."id"
          AND _22."id" = $4::int8)))
    ORDER BY _19."id") UNION ALL (SELECT 6::int2, _24."id", null::int4, null::int2
    FROM "public"."or""ders" AS _24
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _25
      WHERE _25."id" = _24."parent_id"
      AND EXISTS (SELECT
        FROM "public"."or""ders" AS _26
        WHERE _26."id" = _25."parent_id"
        AND _26."id" = $5::int8))
    ORDER BY _24."id") UNION ALL (SELECT 7::int2, _28."id", null::int4, null::int2
    FROM "public"."or""ders" AS _28
    WHERE ((EXISTS (SELECT
          FROM "public"."teams" AS _29
          WHERE _29."id" = _28."team_id"
          AND _29."name" = $6::text)) OR (EXISTS (SELECT
          FROM "public"."or""ders" AS _30
          WHERE _30."parent_id" = _28."id")))
    ORDER BY _28."id") UNION ALL (SELECT 8::int2, _32."order_id", null::int4, _32."line_no"
    FROM "public"."order_lines" AS _32
    WHERE EXISTS (SELECT
      FROM "public"."shipments" AS _33
      WHERE _33."order_id" = _32."order_id"
      AND _33."line_no" = _32."line_no"
      AND _33."carrier" IS NOT NULL)
    ORDER BY _32."order_id", _32."line_no") UNION ALL SELECT 9::int2, null::int8, null::int4, _0.c0
  FROM _0;
-- $1: "%" of the document
-- $2: "0" of the document
-- $3: "%pen%" of the document
-- $4: "12" of the document
-- $5: "10" of the document
-- $6: "north" of the document
-- _2 public.or"ders: every row
-- _3 public.users: every row
-- _5 public.users: every row
-- _6 public.or"ders: every row
-- _8 public.users: every row
-- _9 public.or"ders: every row
-- _11 public.users: every row
-- _12 public.or"ders: every row
-- _14 public.users: every row
-- _15 public.or"ders: every row
-- _16 public.order_lines: every row
-- _17 public.products: every row
-- _19 public.or"ders: every row
-- _20 public.teams: every row
-- _21 public.users: every row
-- _22 public.or"ders: every row
-- _24 public.or"ders: every row
-- _25 public.or"ders: every row
-- _26 public.or"ders: every row
-- _28 public.or"ders: every row
-- _29 public.teams: every row
-- _30 public.or"ders: every row
-- _32 public.order_lines: every row
-- _33 public.shipments: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int4, null::int2
    FROM (SELECT _2."id", _2."user_id"
      FROM "public"."or""ders" AS _2
      WHERE (_2."user_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM (SELECT _3."id", _3."name"
        FROM "public"."users" AS _3
        WHERE (_3."id" = $1::int4)
        AND _3."id" = _2."user_id"
        OFFSET 0) AS _3
      WHERE _3."name" ~~ (SELECT $2::text))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, null::int8, _5."id", null::int2
    FROM (SELECT _5."id"
      FROM "public"."users" AS _5
      WHERE (_5."id" = $1::int4)
      OFFSET 0) AS _5
    WHERE EXISTS (SELECT
      FROM (SELECT _6."user_id", _6."Total Amount"
        FROM "public"."or""ders" AS _6
        WHERE (_6."user_id" = $1::int4)
        AND _6."user_id" = _5."id"
        OFFSET 0) AS _6
      WHERE _6."Total Amount" >= (SELECT $3::numeric))
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, null::int8, _8."id", null::int2
    FROM (SELECT _8."id"
      FROM "public"."users" AS _8
      WHERE (_8."id" = $1::int4)
      OFFSET 0) AS _8
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _9
      WHERE (_9."user_id" = $1::int4)
      AND _9."user_id" = _8."id")
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, null::int8, _11."id", null::int2
    FROM (SELECT _11."id"
      FROM "public"."users" AS _11
      WHERE (_11."id" = $1::int4)
      OFFSET 0) AS _11
    WHERE NOT ((EXISTS (SELECT
          FROM "public"."or""ders" AS _12
          WHERE (_12."user_id" = $1::int4)
          AND _12."user_id" = _11."id")))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, null::int8, _14."id", null::int2
    FROM (SELECT _14."id"
      FROM "public"."users" AS _14
      WHERE (_14."id" = $1::int4)
      OFFSET 0) AS _14
    WHERE EXISTS (SELECT
      FROM (SELECT _15."id", _15."user_id"
        FROM "public"."or""ders" AS _15
        WHERE (_15."user_id" = $1::int4)
        AND _15."user_id" = _14."id"
        OFFSET 0) AS _15
      WHERE EXISTS (SELECT
        FROM (SELECT _16."order_id", _16."product_id"
          FROM "public"."order_lines" AS _16
          WHERE (((_16."order_id") IN (SELECT "o"."id"
                FROM "public"."or""ders" AS "o"
                WHERE "o"."user_id" = $1::int4)))
          AND _16."order_id" = _15."id"
          OFFSET 0) AS _16
        WHERE EXISTS (SELECT
          FROM (SELECT _17."id", _17."title"
            FROM "public"."products" AS _17
            WHERE (NOT _17."hidden")
            AND _17."id" = _16."product_id"
            OFFSET 0) AS _17
          WHERE _17."title" ~~* (SELECT $4::text))))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _19."id", null::int4, null::int2
    FROM (SELECT _19."id", _19."team_id"
      FROM "public"."or""ders" AS _19
      WHERE (_19."user_id" = $1::int4)
      OFFSET 0) AS _19
    WHERE EXISTS (SELECT
      FROM "public"."teams" AS _20
      WHERE _20."id" = _19."team_id"
      AND EXISTS (SELECT
        FROM (SELECT _21."id", _21."team_id"
          FROM "public"."users" AS _21
          WHERE (_21."id" = $1::int4)
          AND _21."team_id" = _20."id"
          OFFSET 0) AS _21
        WHERE EXISTS (SELECT
          FROM "public"."or""ders" AS _22
          WHERE (_22."user_id" = $1::int4)
          AND _22."user_id" = _21."id"
          AND _22."id" = $5::int8)))
    ORDER BY _19."id") UNION ALL (SELECT 6::int2, _24."id", null::int4, null::int2
    FROM (SELECT _24."id", _24."parent_id"
      FROM "public"."or""ders" AS _24
      WHERE (_24."user_id" = $1::int4)
      OFFSET 0) AS _24
    WHERE EXISTS (SELECT
      FROM (SELECT _25."id", _25."parent_id"
        FROM "public"."or""ders" AS _25
        WHERE (_25."user_id" = $1::int4)
        AND _25."id" = _24."parent_id"
        OFFSET 0) AS _25
      WHERE EXISTS (SELECT
        FROM "public"."or""ders" AS _26
        WHERE (_26."user_id" = $1::int4)
        AND _26."id" = _25."parent_id"
        AND _26."id" = $6::int8))
    ORDER BY _24."id") UNION ALL (SELECT 7::int2, _28."id", null::int4, null::int2
    FROM (SELECT _28."id", _28."team_id"
      FROM "public"."or""ders" AS _28
      WHERE (_28."user_id" = $1::int4)
      OFFSET 0) AS _28
    WHERE ((EXISTS (SELECT
          FROM "public"."teams" AS _29
          WHERE _29."id" = _28."team_id"
          AND _29."name" = $7::text)) OR (EXISTS (SELECT
          FROM "public"."or""ders" AS _30
          WHERE (_30."user_id" = $1::int4)
          AND _30."parent_id" = _28."id")))
    ORDER BY _28."id") UNION ALL (SELECT 8::int2, _32."order_id", null::int4, _32."line_no"
    FROM (SELECT _32."order_id", _32."line_no"
      FROM "public"."order_lines" AS _32
      WHERE (((_32."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      OFFSET 0) AS _32
    WHERE EXISTS (SELECT
      FROM "public"."shipments" AS _33
      WHERE (((_33."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _33."order_id" = _32."order_id"
      AND _33."line_no" = _32."line_no"
      AND _33."carrier" IS NOT NULL)
    ORDER BY _32."order_id", _32."line_no") UNION ALL SELECT 9::int2, null::int8, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "%" of the document
-- $3: "0" of the document
-- $4: "%pen%" of the document
-- $5: "12" of the document
-- $6: "10" of the document
-- $7: "north" of the document
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _9 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _11 public.users: permissions.toml:51: id = session.user_id
-- _12 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _14 public.users: permissions.toml:51: id = session.user_id
-- _15 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _16 public.order_lines: permissions.toml:131: own_order(order_id)
-- _17 public.products: permissions.toml:74: NOT hidden
-- _19 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _20 public.teams: permissions.toml:30: true
-- _21 public.users: permissions.toml:51: id = session.user_id
-- _22 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _24 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _25 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _26 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _28 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _29 public.teams: permissions.toml:30: true
-- _30 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _32 public.order_lines: permissions.toml:131: own_order(order_id)
-- _33 public.shipments: permissions.toml:140: own_order(order_id)

-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int4, null::int2
    FROM (SELECT _2."id", _2."user_id"
      FROM "public"."or""ders" AS _2
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM (SELECT _3."id", _3."name"
        FROM "public"."users" AS _3
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_3."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _3."id" = _2."user_id"
        OFFSET 0) AS _3
      WHERE _3."name" ~~ (SELECT $2::text))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, null::int8, _5."id", null::int2
    FROM (SELECT _5."id"
      FROM "public"."users" AS _5
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_5."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _5
    WHERE EXISTS (SELECT
      FROM (SELECT _6."user_id", _6."Total Amount"
        FROM "public"."or""ders" AS _6
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_6."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _6."user_id" = _5."id"
        OFFSET 0) AS _6
      WHERE _6."Total Amount" >= (SELECT $3::numeric))
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, null::int8, _8."id", null::int2
    FROM (SELECT _8."id"
      FROM "public"."users" AS _8
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_8."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _8
    WHERE EXISTS (SELECT
      FROM "public"."or""ders" AS _9
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_9."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _9."user_id" = _8."id")
    ORDER BY _8."id") UNION ALL (SELECT 3::int2, null::int8, _11."id", null::int2
    FROM (SELECT _11."id"
      FROM "public"."users" AS _11
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_11."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _11
    WHERE NOT ((EXISTS (SELECT
          FROM "public"."or""ders" AS _12
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_12."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _12."user_id" = _11."id")))
    ORDER BY _11."id") UNION ALL (SELECT 4::int2, null::int8, _14."id", null::int2
    FROM (SELECT _14."id"
      FROM "public"."users" AS _14
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_14."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _14
    WHERE EXISTS (SELECT
      FROM (SELECT _15."id", _15."user_id"
        FROM "public"."or""ders" AS _15
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_15."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _15."user_id" = _14."id"
        OFFSET 0) AS _15
      WHERE EXISTS (SELECT
        FROM (SELECT _16."order_id", _16."product_id"
          FROM "public"."order_lines" AS _16
          WHERE ((EXISTS (SELECT
                FROM "public"."or""ders" AS "o"
                WHERE "o"."id" = (_16."order_id")
                AND (EXISTS (SELECT
                    FROM "public"."memberships" AS "m"
                    WHERE "m"."team_id" = ("o"."team_id")
                    AND "m"."user_id" = $1::int4)))))
          AND _16."order_id" = _15."id"
          OFFSET 0) AS _16
        WHERE EXISTS (SELECT
          FROM "public"."products" AS _17
          WHERE _17."id" = _16."product_id"
          AND _17."title" ~~* $4::text)))
    ORDER BY _14."id") UNION ALL (SELECT 5::int2, _19."id", null::int4, null::int2
    FROM (SELECT _19."id", _19."team_id"
      FROM "public"."or""ders" AS _19
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_19."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _19
    WHERE EXISTS (SELECT
      FROM (SELECT _20."id"
        FROM "public"."teams" AS _20
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_20."id")
              AND "m"."user_id" = $1::int4)))
        AND _20."id" = _19."team_id"
        OFFSET 0) AS _20
      WHERE EXISTS (SELECT
        FROM (SELECT _21."id", _21."team_id"
          FROM "public"."users" AS _21
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_21."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _21."team_id" = _20."id"
          OFFSET 0) AS _21
        WHERE EXISTS (SELECT
          FROM "public"."or""ders" AS _22
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_22."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _22."user_id" = _21."id"
          AND _22."id" = $5::int8)))
    ORDER BY _19."id") UNION ALL (SELECT 6::int2, _24."id", null::int4, null::int2
    FROM (SELECT _24."id", _24."parent_id"
      FROM "public"."or""ders" AS _24
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_24."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _24
    WHERE EXISTS (SELECT
      FROM (SELECT _25."id", _25."parent_id"
        FROM "public"."or""ders" AS _25
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_25."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _25."id" = _24."parent_id"
        OFFSET 0) AS _25
      WHERE EXISTS (SELECT
        FROM "public"."or""ders" AS _26
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_26."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _26."id" = _25."parent_id"
        AND _26."id" = $6::int8))
    ORDER BY _24."id") UNION ALL (SELECT 7::int2, _28."id", null::int4, null::int2
    FROM (SELECT _28."id", _28."team_id"
      FROM "public"."or""ders" AS _28
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_28."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _28
    WHERE ((EXISTS (SELECT
          FROM "public"."teams" AS _29
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_29."id")
                AND "m"."user_id" = $1::int4)))
          AND _29."id" = _28."team_id"
          AND _29."name" = $7::text)) OR (EXISTS (SELECT
          FROM "public"."or""ders" AS _30
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_30."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _30."parent_id" = _28."id")))
    ORDER BY _28."id") UNION ALL (SELECT 8::int2, _32."order_id", null::int4, _32."line_no"
    FROM (SELECT _32."order_id", _32."line_no"
      FROM "public"."order_lines" AS _32
      WHERE ((EXISTS (SELECT
            FROM "public"."or""ders" AS "o"
            WHERE "o"."id" = (_32."order_id")
            AND (EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = ("o"."team_id")
                AND "m"."user_id" = $1::int4)))))
      ORDER BY _32."order_id", _32."line_no"
      OFFSET 0) AS _32
    WHERE EXISTS (SELECT
      FROM "public"."shipments" AS _33
      WHERE ((EXISTS (SELECT
            FROM "public"."or""ders" AS "o"
            WHERE "o"."id" = (_33."order_id")
            AND (EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = ("o"."team_id")
                AND "m"."user_id" = $1::int4)))) OR _33."order_id" IS NULL)
      AND _33."order_id" = _32."order_id"
      AND _33."line_no" = _32."line_no"
      AND _33."carrier" IS NOT NULL)
    ORDER BY _32."order_id", _32."line_no"
    LIMIT 2) UNION ALL SELECT 9::int2, null::int8, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "%" of the document
-- $3: "0" of the document
-- $4: "%pen%" of the document
-- $5: "12" of the document
-- $6: "10" of the document
-- $7: "north" of the document
-- _2 public.or"ders: permissions.toml:121: member_of(team_id)
-- _3 public.users: permissions.toml:54: member_of(team_id)
-- _5 public.users: permissions.toml:54: member_of(team_id)
-- _6 public.or"ders: permissions.toml:121: member_of(team_id)
-- _8 public.users: permissions.toml:54: member_of(team_id)
-- _9 public.or"ders: permissions.toml:121: member_of(team_id)
-- _11 public.users: permissions.toml:54: member_of(team_id)
-- _12 public.or"ders: permissions.toml:121: member_of(team_id)
-- _14 public.users: permissions.toml:54: member_of(team_id)
-- _15 public.or"ders: permissions.toml:121: member_of(team_id)
-- _16 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _17 public.products: permissions.toml:77: true
-- _19 public.or"ders: permissions.toml:121: member_of(team_id)
-- _20 public.teams: permissions.toml:33: member_of(id)
-- _21 public.users: permissions.toml:54: member_of(team_id)
-- _22 public.or"ders: permissions.toml:121: member_of(team_id)
-- _24 public.or"ders: permissions.toml:121: member_of(team_id)
-- _25 public.or"ders: permissions.toml:121: member_of(team_id)
-- _26 public.or"ders: permissions.toml:121: member_of(team_id)
-- _28 public.or"ders: permissions.toml:121: member_of(team_id)
-- _29 public.teams: permissions.toml:33: member_of(id)
-- _30 public.or"ders: permissions.toml:121: member_of(team_id)
-- _32 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _33 public.shipments: permissions.toml:143: order_of_team(order_id) OR order_id IS NULL
