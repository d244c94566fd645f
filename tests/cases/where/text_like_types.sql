-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."specimens" AS _0
    WHERE _0."a_citext" OPERATOR("ext".=) $1::text::"ext"."citext"
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."specimens" AS _1
    WHERE _1."a_citext" OPERATOR("ext".=) ANY ($2::text::"ext"."citext"[])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."specimens" AS _2
    WHERE _2."a_citext" OPERATOR("ext".>) $1::text::"ext"."citext"
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."specimens" AS _3
    WHERE _3."a_loose" = $3::text
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."specimens" AS _4
    WHERE _4."a_loose" = ANY ($4::text[])
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."specimens" AS _5
    WHERE _5."a_loose" > $3::text
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."specimens" AS _6
    WHERE _6."a_varbit" = $5::varbit
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."specimens" AS _7
    WHERE _7."a_varbit" = ANY ($6::varbit[])
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."specimens" AS _8
    WHERE _8."a_varbit" > $5::varbit
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."specimens" AS _9
    WHERE _9."a_tsvector" = $7::tsvector
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."specimens" AS _10
    WHERE _10."a_tsvector" = ANY ($8::tsvector[])
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."specimens" AS _11
    WHERE _11."a_tsvector" >= $7::tsvector
    ORDER BY _11."id"), array(SELECT row(_12."id")
    FROM "public"."specimens" AS _12
    WHERE _12."a_jsonb" = $9::jsonb
    ORDER BY _12."id"), array(SELECT row(_13."id")
    FROM "public"."specimens" AS _13
    WHERE _13."a_jsonb" = $10::jsonb
    ORDER BY _13."id"), array(SELECT row(_14."id")
    FROM "public"."specimens" AS _14
    WHERE _14."a_jsonb" = ANY ($11::jsonb[])
    ORDER BY _14."id"), array(SELECT row(_15."id")
    FROM "public"."specimens" AS _15
    WHERE _15."ints" = $12::int4[]
    ORDER BY _15."id"), array(SELECT row(_16."id")
    FROM "public"."specimens" AS _16
    WHERE _16."ints" > $13::int4[]
    ORDER BY _16."id"), array(SELECT row(_17."id")
    FROM "public"."specimens" AS _17
    WHERE _17."texts" = $14::text[]
    ORDER BY _17."id"), array(SELECT row(_18."id")
    FROM "public"."specimens" AS _18
    WHERE _18."ints" = $15::int4[]
    ORDER BY _18."id"), array(SELECT row(_19."id")
    FROM "public"."specimens" AS _19
    WHERE _19."moods" = $16::text::"public"."mood"[]
    ORDER BY _19."id"), array(SELECT row(_20."id")
    FROM "public"."specimens" AS _20
    WHERE _20."citexts" = $17::text::"ext"."citext"[]
    ORDER BY _20."id"), array(SELECT row(_21."id")
    FROM "public"."specimens" AS _21
    WHERE _21."times" = $18::timestamptz[]
    ORDER BY _21."id"), array(SELECT row(_22."id")
    FROM "public"."specimens" AS _22
    WHERE _22."ints" = $19::int4[]
    ORDER BY _22."id"), array(SELECT row(_23."id")
    FROM "public"."specimens" AS _23
    WHERE _23."a_point" IS NULL
    AND _23."a_json" IS NULL
    AND _23."an_xml" IS NULL
    AND _23."an_address" IS NULL);
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
-- _0 public.specimens: every row
-- _1 public.specimens: every row
-- _2 public.specimens: every row
-- _3 public.specimens: every row
-- _4 public.specimens: every row
-- _5 public.specimens: every row
-- _6 public.specimens: every row
-- _7 public.specimens: every row
-- _8 public.specimens: every row
-- _9 public.specimens: every row
-- _10 public.specimens: every row
-- _11 public.specimens: every row
-- _12 public.specimens: every row
-- _13 public.specimens: every row
-- _14 public.specimens: every row
-- _15 public.specimens: every row
-- _16 public.specimens: every row
-- _17 public.specimens: every row
-- _18 public.specimens: every row
-- _19 public.specimens: every row
-- _20 public.specimens: every row
-- _21 public.specimens: every row
-- _22 public.specimens: every row
-- _23 public.specimens: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."specimens" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND _0."a_citext" OPERATOR("ext".=) $2::text::"ext"."citext"
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."specimens" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND _1."a_citext" OPERATOR("ext".=) ANY ($3::text::"ext"."citext"[])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."specimens" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."a_citext" OPERATOR("ext".>) $2::text::"ext"."citext"
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."specimens" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."a_loose" = $4::text
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."specimens" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."a_loose" = ANY ($5::text[])
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."specimens" AS _5
    WHERE (_5."owner_id" = $1::int4)
    AND _5."a_loose" > $4::text
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."specimens" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."a_varbit" = $6::varbit
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."specimens" AS _7
    WHERE (_7."owner_id" = $1::int4)
    AND _7."a_varbit" = ANY ($7::varbit[])
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."specimens" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."a_varbit" > $6::varbit
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."specimens" AS _9
    WHERE (_9."owner_id" = $1::int4)
    AND _9."a_tsvector" = $8::tsvector
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."specimens" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND _10."a_tsvector" = ANY ($9::tsvector[])
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."specimens" AS _11
    WHERE (_11."owner_id" = $1::int4)
    AND _11."a_tsvector" >= $8::tsvector
    ORDER BY _11."id"), array(SELECT row(_12."id")
    FROM "public"."specimens" AS _12
    WHERE (_12."owner_id" = $1::int4)
    AND _12."a_jsonb" = $10::jsonb
    ORDER BY _12."id"), array(SELECT row(_13."id")
    FROM "public"."specimens" AS _13
    WHERE (_13."owner_id" = $1::int4)
    AND _13."a_jsonb" = $11::jsonb
    ORDER BY _13."id"), array(SELECT row(_14."id")
    FROM "public"."specimens" AS _14
    WHERE (_14."owner_id" = $1::int4)
    AND _14."a_jsonb" = ANY ($12::jsonb[])
    ORDER BY _14."id"), array(SELECT row(_15."id")
    FROM "public"."specimens" AS _15
    WHERE (_15."owner_id" = $1::int4)
    AND _15."ints" = $13::int4[]
    ORDER BY _15."id"), array(SELECT row(_16."id")
    FROM "public"."specimens" AS _16
    WHERE (_16."owner_id" = $1::int4)
    AND _16."ints" > $14::int4[]
    ORDER BY _16."id"), array(SELECT row(_17."id")
    FROM "public"."specimens" AS _17
    WHERE (_17."owner_id" = $1::int4)
    AND _17."texts" = $15::text[]
    ORDER BY _17."id"), array(SELECT row(_18."id")
    FROM "public"."specimens" AS _18
    WHERE (_18."owner_id" = $1::int4)
    AND _18."ints" = $16::int4[]
    ORDER BY _18."id"), array(SELECT row(_19."id")
    FROM (SELECT _19."id", _19."moods"
      FROM "public"."specimens" AS _19
      WHERE (_19."owner_id" = $1::int4)
      OFFSET 0) AS _19
    WHERE _19."moods" = (SELECT $17::text::"public"."mood"[])
    ORDER BY _19."id"), array(SELECT row(_20."id")
    FROM (SELECT _20."id", _20."citexts"
      FROM "public"."specimens" AS _20
      WHERE (_20."owner_id" = $1::int4)
      OFFSET 0) AS _20
    WHERE _20."citexts" = (SELECT $18::text::"ext"."citext"[])
    ORDER BY _20."id"), array(SELECT row(_21."id")
    FROM "public"."specimens" AS _21
    WHERE (_21."owner_id" = $1::int4)
    AND _21."times" = $19::timestamptz[]
    ORDER BY _21."id"), array(SELECT row(_22."id")
    FROM "public"."specimens" AS _22
    WHERE (_22."owner_id" = $1::int4)
    AND _22."ints" = $20::int4[]
    ORDER BY _22."id"), array(SELECT row(_23."id")
    FROM "public"."specimens" AS _23
    WHERE (_23."owner_id" = $1::int4)
    AND _23."a_point" IS NULL
    AND _23."a_json" IS NULL
    AND _23."an_xml" IS NULL
    AND _23."an_address" IS NULL);
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
-- _0 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _1 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _2 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _3 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _4 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _5 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _6 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _7 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _8 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _9 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _10 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _11 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _12 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _13 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _14 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _15 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _16 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _17 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _18 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _19 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _20 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _21 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _22 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _23 public.specimens: permissions.toml:194: owner_id = session.user_id
