-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE _0."id" = $1::int4), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE _1."id" = $1::int4), array(SELECT row(_2."id")
    FROM "public"."or""ders" AS _2
    WHERE _2."id" = $2::int8);
-- $1: "999" of the document
-- $2: "1" of the document
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.or"ders: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)
    AND _0."id" = $2::int4), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE (_1."id" = $1::int4)
    AND _1."id" = $2::int4), array(SELECT row(_2."id")
    FROM "public"."or""ders" AS _2
    WHERE (_2."user_id" = $1::int4)
    AND _2."id" = $3::int8);
-- $1: session value user_id, Int
-- $2: "999" of the document
-- $3: "1" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
