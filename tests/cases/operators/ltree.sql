-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE _0."label" OPERATOR("ext".@>) $1::text::"ext"."ltree"
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE _1."label" OPERATOR("ext".@>) $2::text::"ext"."ltree"[]
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE _2."label" OPERATOR("ext".<@) $3::text::"ext"."ltree"
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE _3."label" OPERATOR("ext".<@) $4::text::"ext"."ltree"[]
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE _4."label" OPERATOR("ext".<@) $5::text::"ext"."ltree"[]
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE _5."label" OPERATOR("ext".~) $6::text::"ext"."lquery"
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE _6."label" OPERATOR("ext".?) $7::text::"ext"."lquery"[]
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE _7."label" OPERATOR("ext".@) $8::text::"ext"."ltxtquery"
    ORDER BY _7."id");
-- $1: "Top.Science.Astronomy.Stars" of the document
-- $2: "{\"Top.Hobbies\",\"Nowhere\"}" of the document
-- $3: "Top.Science" of the document
-- $4: "{\"Top.Hobbies\",\"Top.Science\"}" of the document
-- $5: "{}" of the document
-- $6: "*.Science.*{0,1}" of the document
-- $7: "{\"*.Astro*\",\"Top\"}" of the document
-- $8: "Science & !Hobbies" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row
-- _3 public.items: every row
-- _4 public.items: every row
-- _5 public.items: every row
-- _6 public.items: every row
-- _7 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."label"
      FROM "public"."items" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."label" OPERATOR("ext".@>) (SELECT $2::text::"ext"."ltree")
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."label"
      FROM "public"."items" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE _1."label" OPERATOR("ext".@>) (SELECT $3::text::"ext"."ltree"[])::"ext"."ltree"[]
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."label"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."label" OPERATOR("ext".<@) (SELECT $4::text::"ext"."ltree")
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."label"
      FROM "public"."items" AS _3
      WHERE (_3."owner_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE _3."label" OPERATOR("ext".<@) (SELECT $5::text::"ext"."ltree"[])::"ext"."ltree"[]
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM (SELECT _4."id", _4."label"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."label" OPERATOR("ext".<@) (SELECT $6::text::"ext"."ltree"[])::"ext"."ltree"[]
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5."label"
      FROM "public"."items" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE _5."label" OPERATOR("ext".~) (SELECT $7::text::"ext"."lquery")
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM (SELECT _6."id", _6."label"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."label" OPERATOR("ext".?) (SELECT $8::text::"ext"."lquery"[])::"ext"."lquery"[]
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM (SELECT _7."id", _7."label"
      FROM "public"."items" AS _7
      WHERE (_7."owner_id" = $1::int4)
      OFFSET 0) AS _7
    WHERE _7."label" OPERATOR("ext".@) (SELECT $9::text::"ext"."ltxtquery")
    ORDER BY _7."id");
-- $1: session value user_id, Int
-- $2: "Top.Science.Astronomy.Stars" of the document
-- $3: "{\"Top.Hobbies\",\"Nowhere\"}" of the document
-- $4: "Top.Science" of the document
-- $5: "{\"Top.Hobbies\",\"Top.Science\"}" of the document
-- $6: "{}" of the document
-- $7: "*.Science.*{0,1}" of the document
-- $8: "{\"*.Astro*\",\"Top\"}" of the document
-- $9: "Science & !Hobbies" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _5 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _7 public.items: permissions.toml:315: owner_id = session.user_id
