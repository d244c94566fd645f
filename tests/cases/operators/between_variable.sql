-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND (_2."id" >= ($2::int4[])[1]
      AND _2."id" <= ($2::int4[])[2])
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND (_4."id" >= ($3::int4[])[1]
      AND _4."id" <= ($3::int4[])[2])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND (_6."id" >= ($4::int4[])[1]
      AND _6."id" <= ($4::int4[])[2])
    ORDER BY _6."id") UNION ALL SELECT 3::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.items.args.where.id._between of the request, [Int!], a list of two
-- $3: $.selectionSet.items.args.where.id._between of the request, [Int!], a list of two
-- $4: $.selectionSet.items.args.where.id._between of the request, [Int!], a list of two
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
