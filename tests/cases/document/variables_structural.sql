-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    LEFT JOIN "public"."users" AS _2 ON _2."id" = _0."user_id"
    AND (_2."id" = $1::int4)
    WHERE (_0."user_id" = $1::int4)
    AND (((_0."id" = $2::int8)) OR (EXISTS (SELECT
          FROM "public"."order_lines" AS _1
          WHERE (((_1."order_id") IN (SELECT "o"."id"
                FROM "public"."or""ders" AS "o"
                WHERE "o"."user_id" = $1::int4)))
          AND _1."order_id" = _0."id"
          AND _1."quantity" = ANY ($3::int4[]))))
    ORDER BY _2."name", _0."id" DESC NULLS LAST), (SELECT row(count(DISTINCT _3."status"))
    FROM "public"."or""ders" AS _3
    WHERE (_3."user_id" = $1::int4)
    AND (((_3."id" = $4::int8)) OR (EXISTS (SELECT
          FROM "public"."order_lines" AS _4
          WHERE (((_4."order_id") IN (SELECT "o"."id"
                FROM "public"."or""ders" AS "o"
                WHERE "o"."user_id" = $1::int4)))
          AND _4."order_id" = _3."id"
          AND _4."quantity" = ANY ($5::int4[])))));
-- $1: session value user_id, Int
-- $2: $.selectionSet.orders.args.where._or[0].id._eq of the request, bigint
-- $3: $.selectionSet.orders.args.where._or[1].lines.quantity._in of the request, [Int!], a list
-- $4: $.selectionSet.ordersAggregate.args.where._or[0].id._eq of the request, bigint
-- $5: $.selectionSet.ordersAggregate.args.where._or[1].lines.quantity._in of the request, [Int!], a list
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _1 public.order_lines: permissions.toml:131: own_order(order_id)
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.order_lines: permissions.toml:131: own_order(order_id)
