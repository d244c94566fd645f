-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE _0."pairs" OPERATOR("ext".@>) $1::text::"ext"."hstore"
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE _1."pairs" OPERATOR("ext".<@) $2::text::"ext"."hstore"
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE _2."pairs" OPERATOR("ext".?) $3::text
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE _3."pairs" OPERATOR("ext".?|) $4::text[]
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE _4."pairs" OPERATOR("ext".?&) $5::text[]
    ORDER BY _4."id");
-- $1: "\"a\"=>\"1\"" of the document
-- $2: "\"a\"=>\"2\",\"z\"=>NULL" of the document
-- $3: "b" of the document
-- $4: "{\"b\",\"z\"}" of the document
-- $5: "{\"a\",\"b\"}" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row
-- _3 public.items: every row
-- _4 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."pairs"
      FROM "public"."items" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."pairs" OPERATOR("ext".@>) (SELECT $2::text::"ext"."hstore")
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."pairs"
      FROM "public"."items" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE _1."pairs" OPERATOR("ext".<@) (SELECT $3::text::"ext"."hstore")
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."pairs" OPERATOR("ext".?) $4::text
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."pairs" OPERATOR("ext".?|) $5::text[]
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."pairs" OPERATOR("ext".?&) $6::text[]
    ORDER BY _4."id");
-- $1: session value user_id, Int
-- $2: "\"a\"=>\"1\"" of the document
-- $3: "\"a\"=>\"2\",\"z\"=>NULL" of the document
-- $4: "b" of the document
-- $5: "{\"b\",\"z\"}" of the document
-- $6: "{\"a\",\"b\"}" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
