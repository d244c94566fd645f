-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE _2."span" OPERATOR(pg_catalog.@>) $1::int4range
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE _4."span" OPERATOR(pg_catalog.@>) $2::int4
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE _6."span" OPERATOR(pg_catalog.<@) $3::int4range
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE _8."span" OPERATOR(pg_catalog.&&) $4::int4range
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE _10."span" OPERATOR(pg_catalog.<<) $5::int4range
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE _12."span" OPERATOR(pg_catalog.>>) $6::int4range
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."items" AS _14
    WHERE _14."span" OPERATOR(pg_catalog.&>) $1::int4range
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE _16."span" OPERATOR(pg_catalog.&<) $7::int4range
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."items" AS _18
    WHERE _18."span" OPERATOR(pg_catalog.-|-) $8::int4range
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."items" AS _20
    WHERE _20."spans" OPERATOR(pg_catalog.@>) $9::int4multirange
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM "public"."items" AS _22
    WHERE _22."spans" OPERATOR(pg_catalog.&&) $10::int4multirange
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM "public"."items" AS _24
    WHERE _24."custom" OPERATOR(pg_catalog.@>) $11::numeric
    ORDER BY _24."id") UNION ALL SELECT 12::int2, null::int4, _0.c0
  FROM _0;
-- $1: "[2,3)" of the document
-- $2: "5" of the document
-- $3: "[0,6)" of the document
-- $4: "[4,6)" of the document
-- $5: "[5,)" of the document
-- $6: "(,3]" of the document
-- $7: "[2,5)" of the document
-- $8: "[9,10)" of the document
-- $9: "{[5,6)}" of the document
-- $10: "{[2,3),[100,200)}" of the document
-- $11: "2" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row
-- _8 public.items: every row
-- _10 public.items: every row
-- _12 public.items: every row
-- _14 public.items: every row
-- _16 public.items: every row
-- _18 public.items: every row
-- _20 public.items: every row
-- _22 public.items: every row
-- _24 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."span" OPERATOR(pg_catalog.@>) $2::int4range
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."span" OPERATOR(pg_catalog.@>) $3::int4
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."span" OPERATOR(pg_catalog.<@) $4::int4range
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."span" OPERATOR(pg_catalog.&&) $5::int4range
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND _10."span" OPERATOR(pg_catalog.<<) $6::int4range
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE (_12."owner_id" = $1::int4)
    AND _12."span" OPERATOR(pg_catalog.>>) $7::int4range
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."items" AS _14
    WHERE (_14."owner_id" = $1::int4)
    AND _14."span" OPERATOR(pg_catalog.&>) $2::int4range
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE (_16."owner_id" = $1::int4)
    AND _16."span" OPERATOR(pg_catalog.&<) $8::int4range
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."items" AS _18
    WHERE (_18."owner_id" = $1::int4)
    AND _18."span" OPERATOR(pg_catalog.-|-) $9::int4range
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM (SELECT _20."id", _20."spans"
      FROM "public"."items" AS _20
      WHERE (_20."owner_id" = $1::int4)
      OFFSET 0) AS _20
    WHERE _20."spans" OPERATOR(pg_catalog.@>) (SELECT $10::int4multirange)
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM (SELECT _22."id", _22."spans"
      FROM "public"."items" AS _22
      WHERE (_22."owner_id" = $1::int4)
      OFFSET 0) AS _22
    WHERE _22."spans" OPERATOR(pg_catalog.&&) (SELECT $11::int4multirange)
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM (SELECT _24."id", _24."custom"
      FROM "public"."items" AS _24
      WHERE (_24."owner_id" = $1::int4)
      OFFSET 0) AS _24
    WHERE _24."custom" OPERATOR(pg_catalog.@>) (SELECT $12::numeric)
    ORDER BY _24."id") UNION ALL SELECT 12::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "[2,3)" of the document
-- $3: "5" of the document
-- $4: "[0,6)" of the document
-- $5: "[4,6)" of the document
-- $6: "[5,)" of the document
-- $7: "(,3]" of the document
-- $8: "[2,5)" of the document
-- $9: "[9,10)" of the document
-- $10: "{[5,6)}" of the document
-- $11: "{[2,3),[100,200)}" of the document
-- $12: "2" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
-- _12 public.items: permissions.toml:315: owner_id = session.user_id
-- _14 public.items: permissions.toml:315: owner_id = session.user_id
-- _16 public.items: permissions.toml:315: owner_id = session.user_id
-- _18 public.items: permissions.toml:315: owner_id = session.user_id
-- _20 public.items: permissions.toml:315: owner_id = session.user_id
-- _22 public.items: permissions.toml:315: owner_id = session.user_id
-- _24 public.items: permissions.toml:315: owner_id = session.user_id
