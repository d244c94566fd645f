-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE _2."pairs" OPERATOR("ext".@>) $1::text::"ext"."hstore"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE _4."pairs" OPERATOR("ext".<@) $2::text::"ext"."hstore"
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE _6."pairs" OPERATOR("ext".?) $3::text
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE _8."pairs" OPERATOR("ext".?|) $4::text[]
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE _10."pairs" OPERATOR("ext".?&) $5::text[]
    ORDER BY _10."id") UNION ALL SELECT 5::int2, null::int4, _0.c0
  FROM _0;
-- $1: "\"a\"=>\"1\"" of the document
-- $2: "\"a\"=>\"2\",\"z\"=>NULL" of the document
-- $3: "b" of the document
-- $4: "{\"b\",\"z\"}" of the document
-- $5: "{\"a\",\"b\"}" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row
-- _8 public.items: every row
-- _10 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."pairs"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."pairs" OPERATOR("ext".@>) (SELECT $2::text::"ext"."hstore")
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."pairs"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."pairs" OPERATOR("ext".<@) (SELECT $3::text::"ext"."hstore")
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."pairs"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."pairs" OPERATOR("ext".?) (SELECT $4::text)
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."pairs"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."pairs" OPERATOR("ext".?|) (SELECT $5::text[])::text[]
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."pairs"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE _10."pairs" OPERATOR("ext".?&) (SELECT $6::text[])::text[]
    ORDER BY _10."id") UNION ALL SELECT 5::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "\"a\"=>\"1\"" of the document
-- $3: "\"a\"=>\"2\",\"z\"=>NULL" of the document
-- $4: "b" of the document
-- $5: "{\"b\",\"z\"}" of the document
-- $6: "{\"a\",\"b\"}" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
