-- role: admin
SELECT _0."order_id", _0."line_no", _0."quantity", _1."id" IS NOT NULL, _1."id", _2."id" IS NOT NULL, _2."name"
  FROM "public"."order_lines" AS _0
  LEFT JOIN "public"."or""ders" AS _1 ON _1."id" = _0."order_id"
  LEFT JOIN "public"."users" AS _2 ON _2."id" = _1."user_id"
  WHERE _0."order_id" = $1::int8
  AND _0."line_no" = $2::int2;
-- $1: "12" of the document
-- $2: "2" of the document
-- _0 public.order_lines: every row
-- _1 public.or"ders: every row
-- _2 public.users: every row

-- role: customer
SELECT _0."order_id", _0."line_no", _0."quantity", _1."id" IS NOT NULL, _1."id", _2."id" IS NOT NULL, _2."name"
  FROM "public"."order_lines" AS _0
  LEFT JOIN "public"."or""ders" AS _1 ON _1."id" = _0."order_id"
  AND (_1."user_id" = $1::int4)
  LEFT JOIN "public"."users" AS _2 ON _2."id" = _1."user_id"
  AND (_2."id" = $1::int4)
  WHERE (((_0."order_id") IN (SELECT "o"."id"
        FROM "public"."or""ders" AS "o"
        WHERE "o"."user_id" = $1::int4)))
  AND _0."order_id" = $2::int8
  AND _0."line_no" = $3::int2;
-- $1: session value user_id, Int
-- $2: "12" of the document
-- $3: "2" of the document
-- _0 public.order_lines: permissions.toml:131: own_order(order_id)
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
