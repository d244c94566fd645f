-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE _2."ints" OPERATOR(pg_catalog.@>) $1::int4[]
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE _4."ints" OPERATOR(pg_catalog.<@) $2::int4[]
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE _6."ints" OPERATOR(pg_catalog.&&) $3::int4[]
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE _8."ints" OPERATOR(pg_catalog.&&) $4::int4[]
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE _10."ints" OPERATOR(pg_catalog.@>) $5::int4[]
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE _12."skus"::text[] OPERATOR(pg_catalog.@>) $6::text::text[]
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."items" AS _14
    WHERE _14."skus"::text[] OPERATOR(pg_catalog.&&) $7::text::text[]
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE _16."skus"::text[] = $6::text::text[]
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."items" AS _18
    WHERE _18."moods" OPERATOR(pg_catalog.&&) $8::text::"public"."mood"[]
    ORDER BY _18."id") UNION ALL SELECT 9::int2, null::int4, _0.c0
  FROM _0;
-- $1: "{\"1\"}" of the document
-- $2: "{\"1\",\"2\",\"3\"}" of the document
-- $3: "{\"3\",\"9\"}" of the document
-- $4: "{\"1\",NULL}" of the document
-- $5: "{2}" of the document
-- $6: "{\"AB-1\"}" of the document
-- $7: "{\"no sku\",\"CD-2\"}" of the document
-- $8: "{\"happy\"}" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row
-- _8 public.items: every row
-- _10 public.items: every row
-- _12 public.items: every row
-- _14 public.items: every row
-- _16 public.items: every row
-- _18 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."ints"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."ints" OPERATOR(pg_catalog.@>) (SELECT $2::int4[])
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."ints"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."ints" OPERATOR(pg_catalog.<@) (SELECT $3::int4[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."ints"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."ints" OPERATOR(pg_catalog.&&) (SELECT $4::int4[])
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."ints"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."ints" OPERATOR(pg_catalog.&&) (SELECT $5::int4[])
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."ints"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE _10."ints" OPERATOR(pg_catalog.@>) (SELECT $6::int4[])
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."skus"
      FROM "public"."items" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE _12."skus"::text[] OPERATOR(pg_catalog.@>) (SELECT $7::text::text[])
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."skus"
      FROM "public"."items" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE _14."skus"::text[] OPERATOR(pg_catalog.&&) (SELECT $8::text::text[])
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM (SELECT _16."id", _16."skus"
      FROM "public"."items" AS _16
      WHERE (_16."owner_id" = $1::int4)
      OFFSET 0) AS _16
    WHERE _16."skus"::text[] = (SELECT $7::text::text[])
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM (SELECT _18."id", _18."moods"
      FROM "public"."items" AS _18
      WHERE (_18."owner_id" = $1::int4)
      OFFSET 0) AS _18
    WHERE _18."moods" OPERATOR(pg_catalog.&&) (SELECT $9::text::"public"."mood"[])
    ORDER BY _18."id") UNION ALL SELECT 9::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "{\"1\"}" of the document
-- $3: "{\"1\",\"2\",\"3\"}" of the document
-- $4: "{\"3\",\"9\"}" of the document
-- $5: "{\"1\",NULL}" of the document
-- $6: "{2}" of the document
-- $7: "{\"AB-1\"}" of the document
-- $8: "{\"no sku\",\"CD-2\"}" of the document
-- $9: "{\"happy\"}" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
-- _12 public.items: permissions.toml:315: owner_id = session.user_id
-- _14 public.items: permissions.toml:315: owner_id = session.user_id
-- _16 public.items: permissions.toml:315: owner_id = session.user_id
-- _18 public.items: permissions.toml:315: owner_id = session.user_id
