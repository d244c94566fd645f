-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE _0."nick" OPERATOR("ext".~) $1::text::"ext"."citext"
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE _1."nick" OPERATOR("ext".~) pg_catalog.similar_to_escape($2::text::"ext"."citext")
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE lower(_2."nick"::text) ^@ lower($3::text)
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE _3."nick" OPERATOR("ext".~~) $4::text::"ext"."citext"
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE _4."nick" OPERATOR("ext".=) ANY ($5::text::"ext"."citext"[])
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE _5."names" OPERATOR(pg_catalog.@>) $6::text::"ext"."citext"[]
    ORDER BY _5."id");
-- $1: "^an" of the document
-- $2: "A(N|M)N" of the document
-- $3: "AN" of the document
-- $4: "AN%" of the document
-- $5: "{\"ANN\",\"BOB\"}" of the document
-- $6: "{\"ann\"}" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row
-- _3 public.items: every row
-- _4 public.items: every row
-- _5 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."nick"
      FROM "public"."items" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."nick" OPERATOR("ext".~) (SELECT $2::text::"ext"."citext")
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."nick"
      FROM "public"."items" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE _1."nick" OPERATOR("ext".~) pg_catalog.similar_to_escape((SELECT $3::text::"ext"."citext"))
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND lower(_2."nick"::text) ^@ lower($4::text)
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."nick" OPERATOR("ext".~~) $5::text::"ext"."citext"
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."nick" OPERATOR("ext".=) ANY ($6::text::"ext"."citext"[])
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5."names"
      FROM "public"."items" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE _5."names" OPERATOR(pg_catalog.@>) (SELECT $7::text::"ext"."citext"[])
    ORDER BY _5."id");
-- $1: session value user_id, Int
-- $2: "^an" of the document
-- $3: "A(N|M)N" of the document
-- $4: "AN" of the document
-- $5: "AN%" of the document
-- $6: "{\"ANN\",\"BOB\"}" of the document
-- $7: "{\"ann\"}" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _5 public.items: permissions.toml:315: owner_id = session.user_id
