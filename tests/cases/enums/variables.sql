-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."paints" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."colour" = $2::text) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."paints" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."colour" = ANY ($3::text[])) UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."paints" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."colour" = $4::text) UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."paints" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."undercoat" = $5::varchar) UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.paints.args.where.colour._eq of the request, colours_enum
-- $3: $.selectionSet.paints.args.where.colour._in of the request, [colours_enum!], a list
-- $4: $.selectionSet.paints.args.where.colour._eq of the request, colours_enum
-- $5: $.selectionSet.paints.args.where.undercoat._eq of the request, colours_enum
-- _2 public.paints: permissions.toml:301: owner_id = session.user_id
-- _4 public.paints: permissions.toml:301: owner_id = session.user_id
-- _6 public.paints: permissions.toml:301: owner_id = session.user_id
-- _8 public.paints: permissions.toml:301: owner_id = session.user_id
