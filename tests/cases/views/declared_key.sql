-- role: customer
SELECT array(SELECT row(_0."order_id", _0."quantity", _0."lines", _1."id" IS NOT NULL, _1."name")
    FROM "public"."order_totals" AS _0
    LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
    AND (_1."id" = $1::int4)
    WHERE (_0."user_id" = $1::int4)
    AND _0."order_id" = $2::int8), array(SELECT row(_2."order_id")
    FROM "public"."order_totals" AS _2
    WHERE (_2."user_id" = $1::int4)
    ORDER BY _2."order_id");
-- $1: session value user_id, Int
-- $2: "12" of the document
-- _0 public.order_totals: permissions.toml:329: user_id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.order_totals: permissions.toml:329: user_id = session.user_id
