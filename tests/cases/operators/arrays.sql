-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE _0."ints" OPERATOR(pg_catalog.@>) $1::int4[]
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE _1."ints" OPERATOR(pg_catalog.<@) $2::int4[]
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE _2."ints" OPERATOR(pg_catalog.&&) $3::int4[]
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE _3."ints" OPERATOR(pg_catalog.&&) $4::int4[]
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE _4."ints" OPERATOR(pg_catalog.@>) $5::int4[]
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE _5."skus"::text[] OPERATOR(pg_catalog.@>) $6::text::text[]
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE _6."skus"::text[] OPERATOR(pg_catalog.&&) $7::text::text[]
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE _7."skus"::text[] = $6::text::text[]
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE _8."moods" OPERATOR(pg_catalog.&&) $8::text::"public"."mood"[]
    ORDER BY _8."id");
-- $1: "{\"1\"}" of the document
-- $2: "{\"1\",\"2\",\"3\"}" of the document
-- $3: "{\"3\",\"9\"}" of the document
-- $4: "{\"1\",NULL}" of the document
-- $5: "{2}" of the document
-- $6: "{\"AB-1\"}" of the document
-- $7: "{\"no sku\",\"CD-2\"}" of the document
-- $8: "{\"happy\"}" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row
-- _3 public.items: every row
-- _4 public.items: every row
-- _5 public.items: every row
-- _6 public.items: every row
-- _7 public.items: every row
-- _8 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND _0."ints" OPERATOR(pg_catalog.@>) $2::int4[]
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND _1."ints" OPERATOR(pg_catalog.<@) $3::int4[]
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."ints" OPERATOR(pg_catalog.&&) $4::int4[]
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."ints" OPERATOR(pg_catalog.&&) $5::int4[]
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."ints" OPERATOR(pg_catalog.@>) $6::int4[]
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5."skus"
      FROM "public"."items" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE _5."skus"::text[] OPERATOR(pg_catalog.@>) (SELECT $7::text::text[])
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM (SELECT _6."id", _6."skus"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."skus"::text[] OPERATOR(pg_catalog.&&) (SELECT $8::text::text[])
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM (SELECT _7."id", _7."skus"
      FROM "public"."items" AS _7
      WHERE (_7."owner_id" = $1::int4)
      OFFSET 0) AS _7
    WHERE _7."skus"::text[] = (SELECT $7::text::text[])
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM (SELECT _8."id", _8."moods"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."moods" OPERATOR(pg_catalog.&&) (SELECT $9::text::"public"."mood"[])
    ORDER BY _8."id");
-- $1: session value user_id, Int
-- $2: "{\"1\"}" of the document
-- $3: "{\"1\",\"2\",\"3\"}" of the document
-- $4: "{\"3\",\"9\"}" of the document
-- $5: "{\"1\",NULL}" of the document
-- $6: "{2}" of the document
-- $7: "{\"AB-1\"}" of the document
-- $8: "{\"no sku\",\"CD-2\"}" of the document
-- $9: "{\"happy\"}" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _5 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _7 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
