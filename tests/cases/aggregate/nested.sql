-- role: admin
SELECT _0."id", (SELECT row(count(*), sum(_1."Total Amount"))
    FROM "public"."or""ders" AS _1
    WHERE _1."user_id" = _0."id"), (SELECT row(count(*), array(SELECT row(_3."id", (SELECT row(count(*), sum(_4."quantity"), array(SELECT row(_5."line_no")
                FROM "public"."order_lines" AS _5
                WHERE _5."order_id" = _3."id"))
            FROM "public"."order_lines" AS _4
            WHERE _4."order_id" = _3."id"))
        FROM "public"."or""ders" AS _3
        WHERE _3."user_id" = _0."id"
        AND _3."Total Amount" > $1::numeric
        ORDER BY _3."id"
        LIMIT 1))
    FROM (SELECT _2."id", _2."user_id", _2."Total Amount"
      FROM "public"."or""ders" AS _2
      WHERE _2."user_id" = _0."id"
      AND _2."Total Amount" > $1::numeric
      ORDER BY _2."id"
      LIMIT 1) AS _2), array(SELECT row(_6."id", (SELECT row(max(_7."price"))
        FROM "public"."order_lines" AS _7
        WHERE _7."order_id" = _6."id"))
    FROM "public"."or""ders" AS _6
    WHERE _6."user_id" = _0."id"
    ORDER BY _6."id")
  FROM "public"."users" AS _0
  ORDER BY _0."id";
-- $1: "10" of the document
-- _1 public.or"ders: every row
-- _5 public.order_lines: every row
-- _4 public.order_lines: every row
-- _3 public.or"ders: every row
-- _2 public.or"ders: every row
-- _7 public.order_lines: every row
-- _6 public.or"ders: every row
-- _0 public.users: every row

-- role: customer
SELECT _0."id", (SELECT row(count(*), sum(_1."Total Amount"))
    FROM "public"."or""ders" AS _1
    WHERE (_1."user_id" = $1::int4)
    AND _1."user_id" = _0."id"), (SELECT row(count(*), array(SELECT row(_3."id", (SELECT row(count(*), sum(_4."quantity"), array(SELECT row(_5."line_no")
                FROM "public"."order_lines" AS _5
                WHERE (((_5."order_id") IN (SELECT "o"."id"
                      FROM "public"."or""ders" AS "o"
                      WHERE "o"."user_id" = $1::int4)))
                AND _5."order_id" = _3."id"))
            FROM "public"."order_lines" AS _4
            WHERE (((_4."order_id") IN (SELECT "o"."id"
                  FROM "public"."or""ders" AS "o"
                  WHERE "o"."user_id" = $1::int4)))
            AND _4."order_id" = _3."id"))
        FROM (SELECT _3."id", _3."user_id", _3."Total Amount"
          FROM "public"."or""ders" AS _3
          WHERE (_3."user_id" = $1::int4)
          AND _3."user_id" = _0."id"
          ORDER BY _3."id"
          OFFSET 0) AS _3
        WHERE _3."Total Amount" > (SELECT $2::numeric)
        ORDER BY _3."id"
        LIMIT 1))
    FROM (SELECT _2."id", _2."user_id", _2."Total Amount"
      FROM (SELECT _2."id", _2."user_id", _2."Total Amount"
        FROM "public"."or""ders" AS _2
        WHERE (_2."user_id" = $1::int4)
        AND _2."user_id" = _0."id"
        ORDER BY _2."id"
        OFFSET 0) AS _2
      WHERE _2."Total Amount" > (SELECT $2::numeric)
      ORDER BY _2."id"
      LIMIT 1) AS _2), array(SELECT row(_6."id", (SELECT row(max(_7."price"))
        FROM "public"."order_lines" AS _7
        WHERE (((_7."order_id") IN (SELECT "o"."id"
              FROM "public"."or""ders" AS "o"
              WHERE "o"."user_id" = $1::int4)))
        AND _7."order_id" = _6."id"))
    FROM "public"."or""ders" AS _6
    WHERE (_6."user_id" = $1::int4)
    AND _6."user_id" = _0."id"
    ORDER BY _6."id")
  FROM "public"."users" AS _0
  WHERE (_0."id" = $1::int4)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "10" of the document
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _5 public.order_lines: permissions.toml:131: own_order(order_id)
-- _4 public.order_lines: permissions.toml:131: own_order(order_id)
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _7 public.order_lines: permissions.toml:131: own_order(order_id)
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _0 public.users: permissions.toml:51: id = session.user_id
