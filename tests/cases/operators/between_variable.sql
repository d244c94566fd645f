-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND (_0."id" >= ($2::int4[])[1]
      AND _0."id" <= ($2::int4[])[2])
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND (_1."id" >= ($3::int4[])[1]
      AND _1."id" <= ($3::int4[])[2])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND (_2."id" >= ($4::int4[])[1]
      AND _2."id" <= ($4::int4[])[2])
    ORDER BY _2."id");
-- $1: session value user_id, Int
-- $2: $.selectionSet.items.args.where.id._between of the request, [Int!], a list of two
-- $3: $.selectionSet.items.args.where.id._between of the request, [Int!], a list of two
-- $4: $.selectionSet.items.args.where.id._between of the request, [Int!], a list of two
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
