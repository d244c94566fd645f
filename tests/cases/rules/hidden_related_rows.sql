-- role: customer
SELECT array(SELECT row(_0."id", _1."id" IS NOT NULL, _1."id", array(SELECT row(_2."id")
        FROM "public"."users" AS _2
        WHERE (_2."id" = $1::int4)
        AND _2."manager_id" = _0."id"
        ORDER BY _2."id"))
    FROM "public"."users" AS _0
    LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."manager_id"
    AND (_1."id" = $1::int4)
    WHERE (_0."id" = $1::int4)
    ORDER BY _0."id"), array(SELECT row(_3."id", _4."id" IS NOT NULL, _4."id", array(SELECT row(_5."id")
        FROM "public"."or""ders" AS _5
        WHERE (_5."user_id" = $1::int4)
        AND _5."parent_id" = _3."id"
        ORDER BY _5."id"), (SELECT row(count(*))
        FROM "public"."order_lines" AS _6
        WHERE (((_6."order_id") IN (SELECT "o"."id"
              FROM "public"."or""ders" AS "o"
              WHERE "o"."user_id" = $1::int4)))
        AND _6."order_id" = _3."id"))
    FROM "public"."or""ders" AS _3
    LEFT JOIN "public"."or""ders" AS _4 ON _4."id" = _3."parent_id"
    AND (_4."user_id" = $1::int4)
    WHERE (_3."user_id" = $1::int4)
    ORDER BY _3."id");
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _6 public.order_lines: permissions.toml:131: own_order(order_id)
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
