-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."specimens" AS _2
    WHERE _2."a_citext" OPERATOR("ext".=) $1::text::"ext"."citext"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."specimens" AS _4
    WHERE _4."a_citext" OPERATOR("ext".=) ANY ($2::text::"ext"."citext"[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."specimens" AS _6
    WHERE _6."a_citext" OPERATOR("ext".>) $1::text::"ext"."citext"
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."specimens" AS _8
    WHERE _8."a_loose" = $3::text
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."specimens" AS _10
    WHERE _10."a_loose" = ANY ($4::text[])
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."specimens" AS _12
    WHERE _12."a_loose" > $3::text
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."specimens" AS _14
    WHERE _14."a_varbit" = $5::varbit
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."specimens" AS _16
    WHERE _16."a_varbit" = ANY ($6::varbit[])
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."specimens" AS _18
    WHERE _18."a_varbit" > $5::varbit
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."specimens" AS _20
    WHERE _20."a_tsvector" = $7::tsvector
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM "public"."specimens" AS _22
    WHERE _22."a_tsvector" = ANY ($8::tsvector[])
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM "public"."specimens" AS _24
    WHERE _24."a_tsvector" >= $7::tsvector
    ORDER BY _24."id") UNION ALL (SELECT 12::int2, _26."id", null::int2
    FROM "public"."specimens" AS _26
    WHERE _26."a_jsonb" = $9::jsonb
    ORDER BY _26."id") UNION ALL (SELECT 13::int2, _28."id", null::int2
    FROM "public"."specimens" AS _28
    WHERE _28."a_jsonb" = $10::jsonb
    ORDER BY _28."id") UNION ALL (SELECT 14::int2, _30."id", null::int2
    FROM "public"."specimens" AS _30
    WHERE _30."a_jsonb" = ANY ($11::jsonb[])
    ORDER BY _30."id") UNION ALL (SELECT 15::int2, _32."id", null::int2
    FROM "public"."specimens" AS _32
    WHERE _32."ints" = $12::int4[]
    ORDER BY _32."id") UNION ALL (SELECT 16::int2, _34."id", null::int2
    FROM "public"."specimens" AS _34
    WHERE _34."ints" > $13::int4[]
    ORDER BY _34."id") UNION ALL (SELECT 17::int2, _36."id", null::int2
    FROM "public"."specimens" AS _36
    WHERE _36."texts" = $14::text[]
    ORDER BY _36."id") UNION ALL (SELECT 18::int2, _38."id", null::int2
    FROM "public"."specimens" AS _38
    WHERE _38."ints" = $15::int4[]
    ORDER BY _38."id") UNION ALL (SELECT 19::int2, _40."id", null::int2
    FROM "public"."specimens" AS _40
    WHERE _40."moods" = $16::text::"public"."mood"[]
    ORDER BY _40."id") UNION ALL (SELECT 20::int2, _42."id", null::int2
    FROM "public"."specimens" AS _42
    WHERE _42."citexts" = $17::text::"ext"."citext"[]
    ORDER BY _42."id") UNION ALL (SELECT 21::int2, _44."id", null::int2
    FROM "public"."specimens" AS _44
    WHERE _44."times" = $18::timestamptz[]
    ORDER BY _44."id") UNION ALL (SELECT 22::int2, _46."id", null::int2
    FROM "public"."specimens" AS _46
    WHERE _46."ints" = $19::int4[]
    ORDER BY _46."id") UNION ALL (SELECT 23::int2, _48."id", null::int2
    FROM "public"."specimens" AS _48
    WHERE _48."a_point" IS NULL
    AND _48."a_json" IS NULL
    AND _48."an_xml" IS NULL
    AND _48."an_address" IS NOT DISTINCT
    FROM NULL) UNION ALL SELECT 24::int2, null::int4, _0.c0
  FROM _0;
-- $1: "CITEXT" of the document
-- $2: "{\"CITEXT\"}" of the document
-- $3: "loose" of the document
-- $4: "{\"loose\"}" of the document
-- $5: "1" of the document
-- $6: "{\"1\"}" of the document
-- $7: "fat" of the document
-- $8: "{\"fat\"}" of the document
-- $9: "{\"b\":[1,null]}" of the document
-- $10: "\"text\"" of the document
-- $11: "{\"{}\",\"\\\"text\\\"\"}" of the document
-- $12: "{\"1\",NULL,\"-3\"}" of the document
-- $13: "{\"1\"}" of the document
-- $14: "{\"a\",\"b,c\",NULL,\"NULL\"}" of the document
-- $15: "{{\"1\",\"2\"},{\"3\",\"4\"}}" of the document
-- $16: "{\"sad\",\"happy\"}" of the document
-- $17: "{\"a\",\"B\"}" of the document
-- $18: "{\"2024-01-01T00:00:00Z\"}" of the document
-- $19: "{}" of the document
-- _2 public.specimens: every row
-- _4 public.specimens: every row
-- _6 public.specimens: every row
-- _8 public.specimens: every row
-- _10 public.specimens: every row
-- _12 public.specimens: every row
-- _14 public.specimens: every row
-- _16 public.specimens: every row
-- _18 public.specimens: every row
-- _20 public.specimens: every row
-- _22 public.specimens: every row
-- _24 public.specimens: every row
-- _26 public.specimens: every row
-- _28 public.specimens: every row
-- _30 public.specimens: every row
-- _32 public.specimens: every row
-- _34 public.specimens: every row
-- _36 public.specimens: every row
-- _38 public.specimens: every row
-- _40 public.specimens: every row
-- _42 public.specimens: every row
-- _44 public.specimens: every row
-- _46 public.specimens: every row
-- _48 public.specimens: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."a_citext"
      FROM "public"."specimens" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."a_citext" OPERATOR("ext".=) (SELECT $2::text::"ext"."citext")
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."a_citext"
      FROM "public"."specimens" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."a_citext" OPERATOR("ext".=) ANY ((SELECT $3::text::"ext"."citext"[])::"ext"."citext"[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."a_citext"
      FROM "public"."specimens" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."a_citext" OPERATOR("ext".>) (SELECT $2::text::"ext"."citext")
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."a_loose"
      FROM "public"."specimens" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."a_loose" = (SELECT $4::text)
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."a_loose"
      FROM "public"."specimens" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE _10."a_loose" = ANY ((SELECT $5::text[])::text[])
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."a_loose"
      FROM "public"."specimens" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE _12."a_loose" > (SELECT $4::text)
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."a_varbit"
      FROM "public"."specimens" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE _14."a_varbit" = (SELECT $6::varbit)
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM (SELECT _16."id", _16."a_varbit"
      FROM "public"."specimens" AS _16
      WHERE (_16."owner_id" = $1::int4)
      OFFSET 0) AS _16
    WHERE _16."a_varbit" = ANY ((SELECT $7::varbit[])::varbit[])
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM (SELECT _18."id", _18."a_varbit"
      FROM "public"."specimens" AS _18
      WHERE (_18."owner_id" = $1::int4)
      OFFSET 0) AS _18
    WHERE _18."a_varbit" > (SELECT $6::varbit)
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM (SELECT _20."id", _20."a_tsvector"
      FROM "public"."specimens" AS _20
      WHERE (_20."owner_id" = $1::int4)
      OFFSET 0) AS _20
    WHERE _20."a_tsvector" = (SELECT $8::tsvector)
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM (SELECT _22."id", _22."a_tsvector"
      FROM "public"."specimens" AS _22
      WHERE (_22."owner_id" = $1::int4)
      OFFSET 0) AS _22
    WHERE _22."a_tsvector" = ANY ((SELECT $9::tsvector[])::tsvector[])
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM (SELECT _24."id", _24."a_tsvector"
      FROM "public"."specimens" AS _24
      WHERE (_24."owner_id" = $1::int4)
      OFFSET 0) AS _24
    WHERE _24."a_tsvector" >= (SELECT $8::tsvector)
    ORDER BY _24."id") UNION ALL (SELECT 12::int2, _26."id", null::int2
    FROM (SELECT _26."id", _26."a_jsonb"
      FROM "public"."specimens" AS _26
      WHERE (_26."owner_id" = $1::int4)
      OFFSET 0) AS _26
    WHERE _26."a_jsonb" = (SELECT $10::jsonb)
    ORDER BY _26."id") UNION ALL (SELECT 13::int2, _28."id", null::int2
    FROM (SELECT _28."id", _28."a_jsonb"
      FROM "public"."specimens" AS _28
      WHERE (_28."owner_id" = $1::int4)
      OFFSET 0) AS _28
    WHERE _28."a_jsonb" = (SELECT $11::jsonb)
    ORDER BY _28."id") UNION ALL (SELECT 14::int2, _30."id", null::int2
    FROM (SELECT _30."id", _30."a_jsonb"
      FROM "public"."specimens" AS _30
      WHERE (_30."owner_id" = $1::int4)
      OFFSET 0) AS _30
    WHERE _30."a_jsonb" = ANY (SELECT unnest($12::jsonb[]))
    ORDER BY _30."id") UNION ALL (SELECT 15::int2, _32."id", null::int2
    FROM (SELECT _32."id", _32."ints"
      FROM "public"."specimens" AS _32
      WHERE (_32."owner_id" = $1::int4)
      OFFSET 0) AS _32
    WHERE _32."ints" = (SELECT $13::int4[])
    ORDER BY _32."id") UNION ALL (SELECT 16::int2, _34."id", null::int2
    FROM (SELECT _34."id", _34."ints"
      FROM "public"."specimens" AS _34
      WHERE (_34."owner_id" = $1::int4)
      OFFSET 0) AS _34
    WHERE _34."ints" > (SELECT $14::int4[])
    ORDER BY _34."id") UNION ALL (SELECT 17::int2, _36."id", null::int2
    FROM (SELECT _36."id", _36."texts"
      FROM "public"."specimens" AS _36
      WHERE (_36."owner_id" = $1::int4)
      OFFSET 0) AS _36
    WHERE _36."texts" = (SELECT $15::text[])
    ORDER BY _36."id") UNION ALL (SELECT 18::int2, _38."id", null::int2
    FROM (SELECT _38."id", _38."ints"
      FROM "public"."specimens" AS _38
      WHERE (_38."owner_id" = $1::int4)
      OFFSET 0) AS _38
    WHERE _38."ints" = (SELECT $16::int4[])
    ORDER BY _38."id") UNION ALL (SELECT 19::int2, _40."id", null::int2
    FROM (SELECT _40."id", _40."moods"
      FROM "public"."specimens" AS _40
      WHERE (_40."owner_id" = $1::int4)
      OFFSET 0) AS _40
    WHERE _40."moods" = (SELECT $17::text::"public"."mood"[])
    ORDER BY _40."id") UNION ALL (SELECT 20::int2, _42."id", null::int2
    FROM (SELECT _42."id", _42."citexts"
      FROM "public"."specimens" AS _42
      WHERE (_42."owner_id" = $1::int4)
      OFFSET 0) AS _42
    WHERE _42."citexts" = (SELECT $18::text::"ext"."citext"[])
    ORDER BY _42."id") UNION ALL (SELECT 21::int2, _44."id", null::int2
    FROM (SELECT _44."id", _44."times"
      FROM "public"."specimens" AS _44
      WHERE (_44."owner_id" = $1::int4)
      OFFSET 0) AS _44
    WHERE _44."times" = (SELECT $19::timestamptz[])
    ORDER BY _44."id") UNION ALL (SELECT 22::int2, _46."id", null::int2
    FROM (SELECT _46."id", _46."ints"
      FROM "public"."specimens" AS _46
      WHERE (_46."owner_id" = $1::int4)
      OFFSET 0) AS _46
    WHERE _46."ints" = (SELECT $20::int4[])
    ORDER BY _46."id") UNION ALL (SELECT 23::int2, _48."id", null::int2
    FROM "public"."specimens" AS _48
    WHERE (_48."owner_id" = $1::int4)
    AND _48."a_point" IS NULL
    AND _48."a_json" IS NULL
    AND _48."an_xml" IS NULL
    AND _48."an_address" IS NOT DISTINCT
    FROM NULL) UNION ALL SELECT 24::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "CITEXT" of the document
-- $3: "{\"CITEXT\"}" of the document
-- $4: "loose" of the document
-- $5: "{\"loose\"}" of the document
-- $6: "1" of the document
-- $7: "{\"1\"}" of the document
-- $8: "fat" of the document
-- $9: "{\"fat\"}" of the document
-- $10: "{\"b\":[1,null]}" of the document
-- $11: "\"text\"" of the document
-- $12: "{\"{}\",\"\\\"text\\\"\"}" of the document
-- $13: "{\"1\",NULL,\"-3\"}" of the document
-- $14: "{\"1\"}" of the document
-- $15: "{\"a\",\"b,c\",NULL,\"NULL\"}" of the document
-- $16: "{{\"1\",\"2\"},{\"3\",\"4\"}}" of the document
-- $17: "{\"sad\",\"happy\"}" of the document
-- $18: "{\"a\",\"B\"}" of the document
-- $19: "{\"2024-01-01T00:00:00Z\"}" of the document
-- $20: "{}" of the document
-- _2 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _4 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _6 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _8 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _10 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _12 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _14 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _16 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _18 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _20 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _22 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _24 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _26 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _28 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _30 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _32 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _34 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _36 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _38 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _40 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _42 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _44 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _46 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _48 public.specimens: permissions.toml:194: owner_id = session.user_id
