-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT array(SELECT row(_1."order_id", _1."quantity", _1."lines", _2."id" IS NOT NULL, _2."name")
      FROM "public"."order_totals" AS _1
      LEFT JOIN "public"."users" AS _2 ON _2."id" = _1."user_id"
      AND (_2."id" = $1::int4)
      WHERE (_1."user_id" = $1::int4)
      AND _1."order_id" = $2::int8)) (SELECT 0::int2, _4."order_id", null::record[]
    FROM "public"."order_totals" AS _4
    WHERE (_4."user_id" = $1::int4)
    ORDER BY _4."order_id") UNION ALL SELECT 1::int2, null::int8, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "12" of the document
-- _1 public.order_totals: permissions.toml:329: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.order_totals: permissions.toml:329: user_id = session.user_id
