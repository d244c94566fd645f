-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)
    AND _0."id" = $2::int4), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE (_1."id" = $1::int4)
    AND _1."id" = $3::int4);
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "999" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
