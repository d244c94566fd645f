-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    ORDER BY (SELECT count(*)
      FROM "public"."or""ders" AS _1
      WHERE _1."user_id" = _0."id") DESC, (SELECT max(_2."id")
      FROM "public"."or""ders" AS _2
      WHERE _2."user_id" = _0."id") NULLS FIRST, (SELECT count(*)
      FROM "public"."users" AS _3
      WHERE _3."manager_id" = _0."id"), (SELECT min(_4."id")
      FROM "public"."users" AS _4
      WHERE _4."manager_id" = _0."id") DESC, _0."id"), array(SELECT row(_5."id", (SELECT row(sum(_9."quantity"))
        FROM "public"."order_lines" AS _9
        WHERE _9."order_id" = _5."id"))
    FROM "public"."or""ders" AS _5
    LEFT JOIN "public"."users" AS _7 ON _7."id" = _5."user_id"
    ORDER BY (SELECT sum(_6."quantity")
      FROM "public"."order_lines" AS _6
      WHERE _6."order_id" = _5."id") DESC NULLS LAST, (SELECT count(*)
      FROM "public"."or""ders" AS _8
      WHERE _8."user_id" = _7."id") DESC, _5."id"
    LIMIT 3), array(SELECT row(_10."id")
    FROM "public"."products" AS _10
    ORDER BY (SELECT avg(_11."quantity")
      FROM "public"."order_lines" AS _11
      WHERE _11."product_id" = _10."id") DESC, (SELECT stddev_pop(_12."quantity")
      FROM "public"."order_lines" AS _12
      WHERE _12."product_id" = _10."id"), _10."id");
-- _0 public.users: every row
-- _1 public.or"ders: every row
-- _2 public.or"ders: every row
-- _3 public.users: every row
-- _4 public.users: every row
-- _9 public.order_lines: every row
-- _5 public.or"ders: every row
-- _7 public.users: every row
-- _6 public.order_lines: every row
-- _8 public.or"ders: every row
-- _10 public.products: every row
-- _11 public.order_lines: every row
-- _12 public.order_lines: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)
    ORDER BY (SELECT count(*)
      FROM "public"."or""ders" AS _1
      WHERE (_1."user_id" = $1::int4)
      AND _1."user_id" = _0."id") DESC, (SELECT max(_2."id")
      FROM "public"."or""ders" AS _2
      WHERE (_2."user_id" = $1::int4)
      AND _2."user_id" = _0."id") NULLS FIRST, (SELECT count(*)
      FROM "public"."users" AS _3
      WHERE (_3."id" = $1::int4)
      AND _3."manager_id" = _0."id"), (SELECT min(_4."id")
      FROM "public"."users" AS _4
      WHERE (_4."id" = $1::int4)
      AND _4."manager_id" = _0."id") DESC, _0."id"), array(SELECT row(_5."id", (SELECT row(sum(_9."quantity"))
        FROM "public"."order_lines" AS _9
        WHERE (((_9."order_id") IN (SELECT "o"."id"
              FROM "public"."or""ders" AS "o"
              WHERE "o"."user_id" = $1::int4)))
        AND _9."order_id" = _5."id"))
    FROM "public"."or""ders" AS _5
    LEFT JOIN "public"."users" AS _7 ON _7."id" = _5."user_id"
    AND (_7."id" = $1::int4)
    WHERE (_5."user_id" = $1::int4)
    ORDER BY (SELECT sum(_6."quantity")
      FROM "public"."order_lines" AS _6
      WHERE (((_6."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _6."order_id" = _5."id") DESC NULLS LAST, (SELECT count(*)
      FROM "public"."or""ders" AS _8
      WHERE (_8."user_id" = $1::int4)
      AND _8."user_id" = _7."id") DESC, _5."id"
    LIMIT 3), array(SELECT row(_10."id")
    FROM "public"."products" AS _10
    WHERE (NOT _10."hidden")
    ORDER BY (SELECT avg(_11."quantity")
      FROM "public"."order_lines" AS _11
      WHERE (((_11."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _11."product_id" = _10."id") DESC, (SELECT stddev_pop(_12."quantity")
      FROM "public"."order_lines" AS _12
      WHERE (((_12."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _12."product_id" = _10."id"), _10."id");
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _9 public.order_lines: permissions.toml:131: own_order(order_id)
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _7 public.users: permissions.toml:51: id = session.user_id
-- _6 public.order_lines: permissions.toml:131: own_order(order_id)
-- _8 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _10 public.products: permissions.toml:74: NOT hidden
-- _11 public.order_lines: permissions.toml:131: own_order(order_id)
-- _12 public.order_lines: permissions.toml:131: own_order(order_id)
