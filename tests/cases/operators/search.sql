-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _2."body") @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $1::text)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _4."body") @@ plainto_tsquery('"pg_catalog"."english"'::regconfig, $2::text)
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _6."body") @@ phraseto_tsquery('"pg_catalog"."english"'::regconfig, $3::text)
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _8."body") @@ to_tsquery('"pg_catalog"."english"'::regconfig, $4::text)
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, _10."body") @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, $5::text)
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE to_tsvector('"public"."Plain ""words"""'::regconfig, _12."body") @@ websearch_to_tsquery('"public"."Plain ""words"""'::regconfig, $5::text)
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."items" AS _14
    WHERE _14."words" @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $6::text)
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, _16."nick"::text) @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, $7::text)
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."items" AS _18
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _18."body") @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $8::text)
    ORDER BY ts_rank(to_tsvector('"pg_catalog"."english"'::regconfig, _18."body"), websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $8::text)) DESC, _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."items" AS _20
    ORDER BY ts_rank(_20."words", to_tsquery('"pg_catalog"."english"'::regconfig, $9::text)) DESC NULLS LAST, _20."id") UNION ALL SELECT 10::int2, null::int4, _0.c0
  FROM _0;
-- $1: "\"quick brown\" -dog" of the document
-- $2: "fox quick" of the document
-- $3: "quick fox" of the document
-- $4: "fox & !dog:*" of the document
-- $5: "foxes" of the document
-- $6: "dogs" of the document
-- $7: "ann" of the document
-- $8: "quick or dog" of the document
-- $9: "dog & quick" of the document
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

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."body"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _2."body") @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $2::text))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."body"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _4."body") @@ plainto_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $3::text))
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."body"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _6."body") @@ phraseto_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $4::text))
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."body"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _8."body") @@ to_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $5::text))
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."body"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, _10."body") @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, (SELECT $6::text))
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."body"
      FROM "public"."items" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE to_tsvector('"public"."Plain ""words"""'::regconfig, _12."body") @@ websearch_to_tsquery('"public"."Plain ""words"""'::regconfig, (SELECT $6::text))
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."words"
      FROM "public"."items" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE _14."words" @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $7::text)
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM (SELECT _16."id", _16."nick"
      FROM "public"."items" AS _16
      WHERE (_16."owner_id" = $1::int4)
      OFFSET 0) AS _16
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, _16."nick"::text) @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, (SELECT $8::text))
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM (SELECT _18."id", _18."body"
      FROM "public"."items" AS _18
      WHERE (_18."owner_id" = $1::int4)
      OFFSET 0) AS _18
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _18."body") @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $9::text))
    ORDER BY ts_rank(to_tsvector('"pg_catalog"."english"'::regconfig, _18."body"), websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $9::text)) DESC, _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."items" AS _20
    WHERE (_20."owner_id" = $1::int4)
    ORDER BY ts_rank(_20."words", to_tsquery('"pg_catalog"."english"'::regconfig, $10::text)) DESC NULLS LAST, _20."id") UNION ALL SELECT 10::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "\"quick brown\" -dog" of the document
-- $3: "fox quick" of the document
-- $4: "quick fox" of the document
-- $5: "fox & !dog:*" of the document
-- $6: "foxes" of the document
-- $7: "dogs" of the document
-- $8: "ann" of the document
-- $9: "quick or dog" of the document
-- $10: "dog & quick" of the document
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
