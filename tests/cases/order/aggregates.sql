-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int8, null::record, null::uuid, null::int2
    FROM "public"."users" AS _2
    ORDER BY (SELECT count(*)
      FROM "public"."or""ders" AS _3
      WHERE _3."user_id" = _2."id") DESC, (SELECT max(_4."id")
      FROM "public"."or""ders" AS _4
      WHERE _4."user_id" = _2."id") NULLS FIRST, (SELECT count(*)
      FROM "public"."users" AS _5
      WHERE _5."manager_id" = _2."id"), (SELECT min(_6."id")
      FROM "public"."users" AS _6
      WHERE _6."manager_id" = _2."id") DESC, _2."id") UNION ALL (SELECT 1::int2, null::int4, _8."id", (SELECT row(sum(_12."quantity"))
      FROM "public"."order_lines" AS _12
      WHERE _12."order_id" = _8."id"), null::uuid, null::int2
    FROM "public"."or""ders" AS _8
    LEFT JOIN "public"."users" AS _10 ON _10."id" = _8."user_id"
    ORDER BY (SELECT sum(_9."quantity")
      FROM "public"."order_lines" AS _9
      WHERE _9."order_id" = _8."id") DESC NULLS LAST, (SELECT count(*)
      FROM "public"."or""ders" AS _11
      WHERE _11."user_id" = _10."id") DESC, _8."id"
    LIMIT 3) UNION ALL (SELECT 2::int2, null::int4, null::int8, null::record, _14."id", null::int2
    FROM "public"."products" AS _14
    ORDER BY (SELECT avg(_15."quantity")
      FROM "public"."order_lines" AS _15
      WHERE _15."product_id" = _14."id") DESC, (SELECT stddev_pop(_16."quantity")
      FROM "public"."order_lines" AS _16
      WHERE _16."product_id" = _14."id"), _14."id") UNION ALL SELECT 3::int2, null::int4, null::int8, null::record, null::uuid, _0.c0
  FROM _0;
-- _2 public.users: every row
-- _3 public.or"ders: every row
-- _4 public.or"ders: every row
-- _5 public.users: every row
-- _6 public.users: every row
-- _12 public.order_lines: every row
-- _8 public.or"ders: every row
-- _10 public.users: every row
-- _9 public.order_lines: every row
-- _11 public.or"ders: every row
-- _14 public.products: every row
-- _15 public.order_lines: every row
-- _16 public.order_lines: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int8, null::record, null::uuid, null::int2
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    ORDER BY (SELECT count(*)
      FROM "public"."or""ders" AS _3
      WHERE (_3."user_id" = $1::int4)
      AND _3."user_id" = _2."id") DESC, (SELECT max(_4."id")
      FROM "public"."or""ders" AS _4
      WHERE (_4."user_id" = $1::int4)
      AND _4."user_id" = _2."id") NULLS FIRST, (SELECT count(*)
      FROM "public"."users" AS _5
      WHERE (_5."id" = $1::int4)
      AND _5."manager_id" = _2."id"), (SELECT min(_6."id")
      FROM "public"."users" AS _6
      WHERE (_6."id" = $1::int4)
      AND _6."manager_id" = _2."id") DESC, _2."id") UNION ALL (SELECT 1::int2, null::int4, _8."id", (SELECT row(sum(_12."quantity"))
      FROM "public"."order_lines" AS _12
      WHERE (((_12."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _12."order_id" = _8."id"), null::uuid, null::int2
    FROM "public"."or""ders" AS _8
    LEFT JOIN "public"."users" AS _10 ON _10."id" = _8."user_id"
    AND (_10."id" = $1::int4)
    WHERE (_8."user_id" = $1::int4)
    ORDER BY (SELECT sum(_9."quantity")
      FROM "public"."order_lines" AS _9
      WHERE (((_9."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _9."order_id" = _8."id") DESC NULLS LAST, (SELECT count(*)
      FROM "public"."or""ders" AS _11
      WHERE (_11."user_id" = $1::int4)
      AND _11."user_id" = _10."id") DESC, _8."id"
    LIMIT 3) UNION ALL (SELECT 2::int2, null::int4, null::int8, null::record, _14."id", null::int2
    FROM "public"."products" AS _14
    WHERE (NOT _14."hidden")
    ORDER BY (SELECT avg(_15."quantity")
      FROM "public"."order_lines" AS _15
      WHERE (((_15."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _15."product_id" = _14."id") DESC, (SELECT stddev_pop(_16."quantity")
      FROM "public"."order_lines" AS _16
      WHERE (((_16."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _16."product_id" = _14."id"), _14."id") UNION ALL SELECT 3::int2, null::int4, null::int8, null::record, null::uuid, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _6 public.users: permissions.toml:51: id = session.user_id
-- _12 public.order_lines: permissions.toml:131: own_order(order_id)
-- _8 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _10 public.users: permissions.toml:51: id = session.user_id
-- _9 public.order_lines: permissions.toml:131: own_order(order_id)
-- _11 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _14 public.products: permissions.toml:74: NOT hidden
-- _15 public.order_lines: permissions.toml:131: own_order(order_id)
-- _16 public.order_lines: permissions.toml:131: own_order(order_id)
