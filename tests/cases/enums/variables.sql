-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."paints" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND _0."colour" = $2::text), array(SELECT row(_1."id")
    FROM "public"."paints" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND _1."colour" = ANY ($3::text[])), array(SELECT row(_2."id")
    FROM "public"."paints" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."colour" = $4::text), array(SELECT row(_3."id")
    FROM "public"."paints" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."undercoat" = $5::varchar);
-- $1: session value user_id, Int
-- $2: $.selectionSet.paints.args.where.colour._eq of the request, colours_enum
-- $3: $.selectionSet.paints.args.where.colour._in of the request, [colours_enum!], a list
-- $4: $.selectionSet.paints.args.where.colour._eq of the request, colours_enum
-- $5: $.selectionSet.paints.args.where.undercoat._eq of the request, colours_enum
-- _0 public.paints: permissions.toml:301: owner_id = session.user_id
-- _1 public.paints: permissions.toml:301: owner_id = session.user_id
-- _2 public.paints: permissions.toml:301: owner_id = session.user_id
-- _3 public.paints: permissions.toml:301: owner_id = session.user_id
