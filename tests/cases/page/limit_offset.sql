-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    ORDER BY _0."id"
    LIMIT 2
    OFFSET 1), array(SELECT row(_1."id")
    FROM "public"."or""ders" AS _1
    LIMIT 0), array(SELECT row(_2."id")
    FROM "public"."or""ders" AS _2
    OFFSET 100), array(SELECT row(_3."id", array(SELECT row(_4."id")
        FROM "public"."or""ders" AS _4
        WHERE _4."user_id" = _3."id"
        ORDER BY _4."id"
        LIMIT 1
        OFFSET 1))
    FROM "public"."users" AS _3
    ORDER BY _3."id"
    OFFSET 1);
-- _0 public.or"ders: every row
-- _1 public.or"ders: every row
-- _2 public.or"ders: every row
-- _4 public.or"ders: every row
-- _3 public.users: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)
    ORDER BY _0."id"
    LIMIT 2
    OFFSET 1), array(SELECT row(_1."id")
    FROM "public"."or""ders" AS _1
    WHERE (_1."user_id" = $1::int4)
    LIMIT 0), array(SELECT row(_2."id")
    FROM "public"."or""ders" AS _2
    WHERE (_2."user_id" = $1::int4)
    OFFSET 100), array(SELECT row(_3."id", array(SELECT row(_4."id")
        FROM "public"."or""ders" AS _4
        WHERE (_4."user_id" = $1::int4)
        AND _4."user_id" = _3."id"
        ORDER BY _4."id"
        LIMIT 1
        OFFSET 1))
    FROM "public"."users" AS _3
    WHERE (_3."id" = $1::int4)
    ORDER BY _3."id"
    OFFSET 1);
-- $1: session value user_id, Int
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
