-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(DISTINCT _5."status"))
      FROM (SELECT _5."id", _5."status"
        FROM "public"."or""ders" AS _5
        WHERE (_5."user_id" = $1::int4)
        OFFSET 0) AS _5
      WHERE (((_5."id" = $2::int8)) OR (EXISTS (SELECT
            FROM "public"."order_lines" AS _6
            WHERE (((_6."order_id") IN (SELECT "o"."id"
                  FROM "public"."or""ders" AS "o"
                  WHERE "o"."user_id" = $1::int4)))
            AND _6."order_id" = _5."id"
            AND _6."quantity" = ANY ($3::int4[])))))) (SELECT 0::int2, _2."id", null::record
    FROM (SELECT _2."id", _2."user_id"
      FROM "public"."or""ders" AS _2
      WHERE (_2."user_id" = $1::int4)
      OFFSET 0) AS _2
    LEFT JOIN "public"."users" AS _4 ON _4."id" = _2."user_id"
    AND (_4."id" = $1::int4)
    WHERE (((_2."id" = $2::int8)) OR (EXISTS (SELECT
          FROM "public"."order_lines" AS _3
          WHERE (((_3."order_id") IN (SELECT "o"."id"
                FROM "public"."or""ders" AS "o"
                WHERE "o"."user_id" = $1::int4)))
          AND _3."order_id" = _2."id"
          AND _3."quantity" = ANY ($3::int4[]))))
    ORDER BY _4."name", _2."id" DESC NULLS LAST) UNION ALL SELECT 1::int2, null::int8, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.ordersAggregate.args.where._or[0].id._eq of the request, bigint
-- $3: $.selectionSet.ordersAggregate.args.where._or[1].lines.quantity._in of the request, [Int!], a list
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _6 public.order_lines: permissions.toml:131: own_order(order_id)
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _3 public.order_lines: permissions.toml:131: own_order(order_id)
