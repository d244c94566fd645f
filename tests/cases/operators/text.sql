-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE _0."body" ~ pg_catalog.similar_to_escape($1::text)
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE _1."body" !~ pg_catalog.similar_to_escape($1::text)
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE _2."body" ~ $2::text
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE _3."body" !~ $3::text
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE _4."body" ~* $4::text
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE _5."body" !~* $5::text
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE _6."body" ^@ $6::text
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE _7."letters" ^@ $7::text
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE _8."letters" ~~* $8::bpchar
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    WHERE _9."letters" ~ pg_catalog.similar_to_escape($9::bpchar)
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."items" AS _10
    WHERE _10."short" ^@ $10::text
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."items" AS _11
    WHERE _11."code" ~ $11::text
    AND _11."code" !~~* $12::text
    ORDER BY _11."id"), array(SELECT row(_12."id")
    FROM "public"."items" AS _12
    WHERE _12."code" ~~* $13::text
    ORDER BY _12."id");
-- $1: "%(fox|dog)%" of the document
-- $2: "^The.*s$" of the document
-- $3: "[Ff]ox" of the document
-- $4: "\\mFOX" of the document
-- $5: "FOX" of the document
-- $6: "The %" of the document
-- $7: "ab" of the document
-- $8: "AB%" of the document
-- $9: "a(b|c)c?%" of the document
-- $10: "abc" of the document
-- $11: "^A" of the document
-- $12: "%2" of the document
-- $13: "ab%" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row
-- _3 public.items: every row
-- _4 public.items: every row
-- _5 public.items: every row
-- _6 public.items: every row
-- _7 public.items: every row
-- _8 public.items: every row
-- _9 public.items: every row
-- _10 public.items: every row
-- _11 public.items: every row
-- _12 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."body"
      FROM "public"."items" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."body" ~ pg_catalog.similar_to_escape((SELECT $2::text))
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."body"
      FROM "public"."items" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE _1."body" !~ pg_catalog.similar_to_escape((SELECT $2::text))
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."body"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."body" ~ (SELECT $3::text)
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."body"
      FROM "public"."items" AS _3
      WHERE (_3."owner_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE _3."body" !~ (SELECT $4::text)
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM (SELECT _4."id", _4."body"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."body" ~* (SELECT $5::text)
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5."body"
      FROM "public"."items" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE _5."body" !~* (SELECT $6::text)
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."body" ^@ $7::text
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE (_7."owner_id" = $1::int4)
    AND _7."letters" ^@ $8::text
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."letters" ~~* $9::bpchar
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM (SELECT _9."id", _9."letters"
      FROM "public"."items" AS _9
      WHERE (_9."owner_id" = $1::int4)
      OFFSET 0) AS _9
    WHERE _9."letters" ~ pg_catalog.similar_to_escape((SELECT $10::bpchar))
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."items" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND _10."short" ^@ $11::text
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM (SELECT _11."id", _11."code"
      FROM "public"."items" AS _11
      WHERE (_11."owner_id" = $1::int4)
      AND _11."code" !~~* $12::text
      OFFSET 0) AS _11
    WHERE _11."code" ~ (SELECT $13::text)
    ORDER BY _11."id"), array(SELECT row(_12."id")
    FROM "public"."items" AS _12
    WHERE (_12."owner_id" = $1::int4)
    AND _12."code" ~~* $14::text
    ORDER BY _12."id");
-- $1: session value user_id, Int
-- $2: "%(fox|dog)%" of the document
-- $3: "^The.*s$" of the document
-- $4: "[Ff]ox" of the document
-- $5: "\\mFOX" of the document
-- $6: "FOX" of the document
-- $7: "The %" of the document
-- $8: "ab" of the document
-- $9: "AB%" of the document
-- $10: "a(b|c)c?%" of the document
-- $11: "abc" of the document
-- $12: "%2" of the document
-- $13: "^A" of the document
-- $14: "ab%" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _5 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _7 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _9 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
-- _11 public.items: permissions.toml:315: owner_id = session.user_id
-- _12 public.items: permissions.toml:315: owner_id = session.user_id
