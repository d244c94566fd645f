-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE _2."address" >>= $1::inet
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE _4."address" <<= $2::inet
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE _6."block" >>= $3::cidr
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE _8."block" >>= $4::cidr
    ORDER BY _8."id") UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: "10.0.0.1" of the document
-- $2: "10.0.0.0/8" of the document
-- $3: "10.1.2.0/24" of the document
-- $4: "10.1.2.3" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row
-- _8 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."address" >>= $2::inet
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."address" <<= $3::inet
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."block" >>= $4::cidr
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."block" >>= $5::cidr
    ORDER BY _8."id") UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "10.0.0.1" of the document
-- $3: "10.0.0.0/8" of the document
-- $4: "10.1.2.0/24" of the document
-- $5: "10.1.2.3" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
