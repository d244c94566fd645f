-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _0."body") @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $1::text)
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _1."body") @@ plainto_tsquery('"pg_catalog"."english"'::regconfig, $2::text)
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _2."body") @@ phraseto_tsquery('"pg_catalog"."english"'::regconfig, $3::text)
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _3."body") @@ to_tsquery('"pg_catalog"."english"'::regconfig, $4::text)
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, _4."body") @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, $5::text)
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE to_tsvector('"public"."Plain ""words"""'::regconfig, _5."body") @@ websearch_to_tsquery('"public"."Plain ""words"""'::regconfig, $5::text)
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE _6."words" @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $6::text)
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, _7."nick"::text) @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, $7::text)
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _8."body") @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $8::text)
    ORDER BY ts_rank(to_tsvector('"pg_catalog"."english"'::regconfig, _8."body"), websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $8::text)) DESC, _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    ORDER BY ts_rank(_9."words", to_tsquery('"pg_catalog"."english"'::regconfig, $9::text)) DESC NULLS LAST, _9."id");
-- $1: "\"quick brown\" -dog" of the document
-- $2: "fox quick" of the document
-- $3: "quick fox" of the document
-- $4: "fox & !dog:*" of the document
-- $5: "foxes" of the document
-- $6: "dogs" of the document
-- $7: "ann" of the document
-- $8: "quick or dog" of the document
-- $9: "dog & quick" of the document
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

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."body"
      FROM "public"."items" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _0."body") @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $2::text))
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."body"
      FROM "public"."items" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _1."body") @@ plainto_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $3::text))
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."body"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _2."body") @@ phraseto_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $4::text))
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."body"
      FROM "public"."items" AS _3
      WHERE (_3."owner_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _3."body") @@ to_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $5::text))
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM (SELECT _4."id", _4."body"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, _4."body") @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, (SELECT $6::text))
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5."body"
      FROM "public"."items" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE to_tsvector('"public"."Plain ""words"""'::regconfig, _5."body") @@ websearch_to_tsquery('"public"."Plain ""words"""'::regconfig, (SELECT $6::text))
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."words" @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $7::text)
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM (SELECT _7."id", _7."nick"
      FROM "public"."items" AS _7
      WHERE (_7."owner_id" = $1::int4)
      OFFSET 0) AS _7
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, _7."nick"::text) @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, (SELECT $8::text))
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM (SELECT _8."id", _8."body"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE to_tsvector('"pg_catalog"."english"'::regconfig, _8."body") @@ websearch_to_tsquery('"pg_catalog"."english"'::regconfig, (SELECT $9::text))
    ORDER BY ts_rank(to_tsvector('"pg_catalog"."english"'::regconfig, _8."body"), websearch_to_tsquery('"pg_catalog"."english"'::regconfig, $9::text)) DESC, _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    WHERE (_9."owner_id" = $1::int4)
    ORDER BY ts_rank(_9."words", to_tsquery('"pg_catalog"."english"'::regconfig, $10::text)) DESC NULLS LAST, _9."id");
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
