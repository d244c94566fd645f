-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE _2."body" ~ pg_catalog.similar_to_escape($1::text)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE _4."body" !~ pg_catalog.similar_to_escape($1::text)
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE _6."body" ~ $2::text
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE _8."body" !~ $3::text
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE _10."body" ~* $4::text
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE _12."body" !~* $5::text
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."items" AS _14
    WHERE _14."body" ^@ $6::text
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE _16."letters" ^@ $7::text
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."items" AS _18
    WHERE _18."letters" ~~* $8::bpchar
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."items" AS _20
    WHERE _20."letters" ~ pg_catalog.similar_to_escape($9::bpchar)
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM "public"."items" AS _22
    WHERE _22."short" ^@ $10::text
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM "public"."items" AS _24
    WHERE _24."code" ~ $11::text
    AND _24."code" !~~* $12::text
    ORDER BY _24."id") UNION ALL (SELECT 12::int2, _26."id", null::int2
    FROM "public"."items" AS _26
    WHERE _26."code" ~~* $13::text
    ORDER BY _26."id") UNION ALL SELECT 13::int2, null::int4, _0.c0
  FROM _0;
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
-- _26 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."body"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."body" ~ pg_catalog.similar_to_escape((SELECT $2::text))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."body"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."body" !~ pg_catalog.similar_to_escape((SELECT $2::text))
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."body"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."body" ~ (SELECT $3::text)
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."body"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."body" !~ (SELECT $4::text)
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."body"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE _10."body" ~* (SELECT $5::text)
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."body"
      FROM "public"."items" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE _12."body" !~* (SELECT $6::text)
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."body"
      FROM "public"."items" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE _14."body" ^@ (SELECT $7::text)
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE (_16."owner_id" = $1::int4)
    AND _16."letters" ^@ $8::text
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM (SELECT _18."id", _18."letters"
      FROM "public"."items" AS _18
      WHERE (_18."owner_id" = $1::int4)
      OFFSET 0) AS _18
    WHERE _18."letters" ~~* (SELECT $9::bpchar)
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM (SELECT _20."id", _20."letters"
      FROM "public"."items" AS _20
      WHERE (_20."owner_id" = $1::int4)
      OFFSET 0) AS _20
    WHERE _20."letters" ~ pg_catalog.similar_to_escape((SELECT $10::bpchar))
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM "public"."items" AS _22
    WHERE (_22."owner_id" = $1::int4)
    AND _22."short" ^@ $11::text
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM (SELECT _24."id", _24."code"
      FROM "public"."items" AS _24
      WHERE (_24."owner_id" = $1::int4)
      OFFSET 0) AS _24
    WHERE _24."code" ~ (SELECT $12::text)
    AND _24."code" !~~* (SELECT $13::text)
    ORDER BY _24."id") UNION ALL (SELECT 12::int2, _26."id", null::int2
    FROM (SELECT _26."id", _26."code"
      FROM "public"."items" AS _26
      WHERE (_26."owner_id" = $1::int4)
      OFFSET 0) AS _26
    WHERE _26."code" ~~* (SELECT $14::text)
    ORDER BY _26."id") UNION ALL SELECT 13::int2, null::int4, _0.c0
  FROM _0;
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
-- $12: "^A" of the document
-- $13: "%2" of the document
-- $14: "ab%" of the document
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
-- _26 public.items: permissions.toml:315: owner_id = session.user_id
