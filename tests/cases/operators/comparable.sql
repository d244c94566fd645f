-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (_0."id" >= ($1::int4[])[1]
      AND _0."id" <= ($1::int4[])[2])
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."nick" OPERATOR("ext".>=) ($2::text::"ext"."citext"[])[1]
      AND _1."nick" OPERATOR("ext".<=) ($2::text::"ext"."citext"[])[2])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."code" >= ($3::text[])[1]
      AND _2."code" <= ($3::text[])[2])
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."code" = $4::text) IS NOT TRUE
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (_4."nick" OPERATOR("ext".=) $5::text::"ext"."citext") IS NOT TRUE
    ORDER BY _4."id");
-- $1: "{\"2\",\"4\"}" of the document
-- $2: "{\"ANN\",\"annz\"}" of the document
-- $3: "{\"AB-1\",\"CD-2\"}" of the document
-- $4: "AB-1" of the document
-- $5: "ANN" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row
-- _3 public.items: every row
-- _4 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND (_0."id" >= ($2::int4[])[1]
      AND _0."id" <= ($2::int4[])[2])
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND (_1."nick" OPERATOR("ext".>=) ($3::text::"ext"."citext"[])[1]
      AND _1."nick" OPERATOR("ext".<=) ($3::text::"ext"."citext"[])[2])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND (_2."code" >= ($4::text[])[1]
      AND _2."code" <= ($4::text[])[2])
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND (_3."code" = $5::text) IS NOT TRUE
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND (_4."nick" OPERATOR("ext".=) $6::text::"ext"."citext") IS NOT TRUE
    ORDER BY _4."id");
-- $1: session value user_id, Int
-- $2: "{\"2\",\"4\"}" of the document
-- $3: "{\"ANN\",\"annz\"}" of the document
-- $4: "{\"AB-1\",\"CD-2\"}" of the document
-- $5: "AB-1" of the document
-- $6: "ANN" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
