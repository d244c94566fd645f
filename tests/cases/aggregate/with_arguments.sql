-- role: admin
SELECT (SELECT row(count(*), sum(_0."Total Amount"), array(SELECT row(_1."id")
        FROM "public"."or""ders" AS _1
        WHERE _1."Total Amount" IS NOT NULL
        ORDER BY _1."id"))
    FROM "public"."or""ders" AS _0
    WHERE _0."Total Amount" IS NOT NULL), (SELECT row(count(*), max(_2."id"), min(_2."id"), array(SELECT row(_3."id")
        FROM "public"."or""ders" AS _3
        ORDER BY _3."id" DESC
        LIMIT 2))
    FROM (SELECT _2."id"
      FROM "public"."or""ders" AS _2
      ORDER BY _2."id" DESC
      LIMIT 2) AS _2), (SELECT row(count(*), min(_4."id"))
    FROM (SELECT _4."id"
      FROM "public"."or""ders" AS _4
      ORDER BY _4."id"
      OFFSET 1) AS _4), (SELECT row(count(*), sum(_5."id"), array(SELECT DISTINCT ON (_6."user_id") row(_6."id")
        FROM "public"."or""ders" AS _6
        ORDER BY _6."user_id", _6."id"))
    FROM (SELECT DISTINCT ON (_5."user_id") _5."id", _5."user_id"
      FROM "public"."or""ders" AS _5
      ORDER BY _5."user_id", _5."id") AS _5), (SELECT row(count(*), min(_7."id"), array(SELECT row(_9."id", _10."id" IS NOT NULL, _10."name")
        FROM "public"."or""ders" AS _9
        LEFT JOIN "public"."users" AS _10 ON _10."id" = _9."user_id"
        ORDER BY _10."name" DESC, _9."id"
        LIMIT 3))
    FROM (SELECT _7."id", _7."user_id"
      FROM "public"."or""ders" AS _7
      LEFT JOIN "public"."users" AS _8 ON _8."id" = _7."user_id"
      ORDER BY _8."name" DESC, _7."id"
      LIMIT 3) AS _7), (SELECT row(max(_11."id"))
    FROM (SELECT _11."id"
      FROM "public"."or""ders" AS _11
      ORDER BY (SELECT count(*)
        FROM "public"."order_lines" AS _12
        WHERE _12."order_id" = _11."id") DESC, _11."id"
      LIMIT 1) AS _11);
-- _1 public.or"ders: every row
-- _0 public.or"ders: every row
-- _3 public.or"ders: every row
-- _2 public.or"ders: every row
-- _4 public.or"ders: every row
-- _6 public.or"ders: every row
-- _5 public.or"ders: every row
-- _9 public.or"ders: every row
-- _10 public.users: every row
-- _7 public.or"ders: every row
-- _8 public.users: every row
-- _11 public.or"ders: every row
-- _12 public.order_lines: every row

-- role: customer
SELECT (SELECT row(count(*), sum(_0."Total Amount"), array(SELECT row(_1."id")
        FROM "public"."or""ders" AS _1
        WHERE (_1."user_id" = $1::int4)
        AND _1."Total Amount" IS NOT NULL
        ORDER BY _1."id"))
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)
    AND _0."Total Amount" IS NOT NULL), (SELECT row(count(*), max(_2."id"), min(_2."id"), array(SELECT row(_3."id")
        FROM "public"."or""ders" AS _3
        WHERE (_3."user_id" = $1::int4)
        ORDER BY _3."id" DESC
        LIMIT 2))
    FROM (SELECT _2."id"
      FROM "public"."or""ders" AS _2
      WHERE (_2."user_id" = $1::int4)
      ORDER BY _2."id" DESC
      LIMIT 2) AS _2), (SELECT row(count(*), min(_4."id"))
    FROM (SELECT _4."id"
      FROM "public"."or""ders" AS _4
      WHERE (_4."user_id" = $1::int4)
      ORDER BY _4."id"
      OFFSET 1) AS _4), (SELECT row(count(*), sum(_5."id"), array(SELECT DISTINCT ON (_6."user_id") row(_6."id")
        FROM "public"."or""ders" AS _6
        WHERE (_6."user_id" = $1::int4)
        ORDER BY _6."user_id", _6."id"))
    FROM (SELECT DISTINCT ON (_5."user_id") _5."id", _5."user_id"
      FROM "public"."or""ders" AS _5
      WHERE (_5."user_id" = $1::int4)
      ORDER BY _5."user_id", _5."id") AS _5), (SELECT row(count(*), min(_7."id"), array(SELECT row(_9."id", _10."id" IS NOT NULL, _10."name")
        FROM "public"."or""ders" AS _9
        LEFT JOIN "public"."users" AS _10 ON _10."id" = _9."user_id"
        AND (_10."id" = $1::int4)
        WHERE (_9."user_id" = $1::int4)
        ORDER BY _10."name" DESC, _9."id"
        LIMIT 3))
    FROM (SELECT _7."id", _7."user_id"
      FROM "public"."or""ders" AS _7
      LEFT JOIN "public"."users" AS _8 ON _8."id" = _7."user_id"
      AND (_8."id" = $1::int4)
      WHERE (_7."user_id" = $1::int4)
      ORDER BY _8."name" DESC, _7."id"
      LIMIT 3) AS _7), (SELECT row(max(_11."id"))
    FROM (SELECT _11."id"
      FROM "public"."or""ders" AS _11
      WHERE (_11."user_id" = $1::int4)
      ORDER BY (SELECT count(*)
        FROM "public"."order_lines" AS _12
        WHERE (((_12."order_id") IN (SELECT "o"."id"
              FROM "public"."or""ders" AS "o"
              WHERE "o"."user_id" = $1::int4)))
        AND _12."order_id" = _11."id") DESC, _11."id"
      LIMIT 1) AS _11);
-- $1: session value user_id, Int
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _9 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _10 public.users: permissions.toml:51: id = session.user_id
-- _7 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _11 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _12 public.order_lines: permissions.toml:131: own_order(order_id)
