-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."users" AS _2
    WHERE _2."name" <> $1::text
    AND _2."id" <> ALL ($2::int4[])
    ORDER BY _2."id"
    LIMIT 3) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."users" AS _4
    WHERE _4."name" <> $1::text
    ORDER BY _4."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: $.selectionSet.users.args.where.name._neq of the request, String
-- $2: "{\"7\",\"8\"}" of the document
-- _2 public.users: every row
-- _4 public.users: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    AND _2."name" <> $2::text
    AND _2."id" <> ALL ($3::int4[])
    ORDER BY _2."id"
    LIMIT 3) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."users" AS _4
    WHERE (_4."id" = $1::int4)
    AND _4."name" <> $2::text
    ORDER BY _4."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.users.args.where.name._neq of the request, String
-- $3: "{\"7\",\"8\"}" of the document
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
