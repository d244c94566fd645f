-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE _2."label" OPERATOR("ext".@>) $1::text::"ext"."ltree"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE _4."label" OPERATOR("ext".@>) $2::text::"ext"."ltree"[]
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE _6."label" OPERATOR("ext".<@) $3::text::"ext"."ltree"
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE _8."label" OPERATOR("ext".<@) $4::text::"ext"."ltree"[]
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE _10."label" OPERATOR("ext".<@) $5::text::"ext"."ltree"[]
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE _12."label" OPERATOR("ext".~) $6::text::"ext"."lquery"
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."items" AS _14
    WHERE _14."label" OPERATOR("ext".?) $7::text::"ext"."lquery"[]
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE _16."label" OPERATOR("ext".@) $8::text::"ext"."ltxtquery"
    ORDER BY _16."id") UNION ALL SELECT 8::int2, null::int4, _0.c0
  FROM _0;
-- $1: "Top.Science.Astronomy.Stars" of the document
-- $2: "{\"Top.Hobbies\",\"Nowhere\"}" of the document
-- $3: "Top.Science" of the document
-- $4: "{\"Top.Hobbies\",\"Top.Science\"}" of the document
-- $5: "{}" of the document
-- $6: "*.Science.*{0,1}" of the document
-- $7: "{\"*.Astro*\",\"Top\"}" of the document
-- $8: "Science & !Hobbies" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row
-- _8 public.items: every row
-- _10 public.items: every row
-- _12 public.items: every row
-- _14 public.items: every row
-- _16 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."label"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."label" OPERATOR("ext".@>) (SELECT $2::text::"ext"."ltree")
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."label"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."label" OPERATOR("ext".@>) (SELECT $3::text::"ext"."ltree"[])::"ext"."ltree"[]
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."label"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."label" OPERATOR("ext".<@) (SELECT $4::text::"ext"."ltree")
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."label"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."label" OPERATOR("ext".<@) (SELECT $5::text::"ext"."ltree"[])::"ext"."ltree"[]
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."label"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE _10."label" OPERATOR("ext".<@) (SELECT $6::text::"ext"."ltree"[])::"ext"."ltree"[]
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."label"
      FROM "public"."items" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE _12."label" OPERATOR("ext".~) (SELECT $7::text::"ext"."lquery")
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."label"
      FROM "public"."items" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE _14."label" OPERATOR("ext".?) (SELECT $8::text::"ext"."lquery"[])::"ext"."lquery"[]
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM (SELECT _16."id", _16."label"
      FROM "public"."items" AS _16
      WHERE (_16."owner_id" = $1::int4)
      OFFSET 0) AS _16
    WHERE _16."label" OPERATOR("ext".@) (SELECT $9::text::"ext"."ltxtquery")
    ORDER BY _16."id") UNION ALL SELECT 8::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "Top.Science.Astronomy.Stars" of the document
-- $3: "{\"Top.Hobbies\",\"Nowhere\"}" of the document
-- $4: "Top.Science" of the document
-- $5: "{\"Top.Hobbies\",\"Top.Science\"}" of the document
-- $6: "{}" of the document
-- $7: "*.Science.*{0,1}" of the document
-- $8: "{\"*.Astro*\",\"Top\"}" of the document
-- $9: "Science & !Hobbies" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
-- _12 public.items: permissions.toml:315: owner_id = session.user_id
-- _14 public.items: permissions.toml:315: owner_id = session.user_id
-- _16 public.items: permissions.toml:315: owner_id = session.user_id
