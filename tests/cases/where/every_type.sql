-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."specimens" AS _0
    WHERE _0."a_smallint" = $1::int2
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."specimens" AS _1
    WHERE _1."a_smallint" = ANY ($2::int2[])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."specimens" AS _2
    WHERE _2."a_smallint" > $1::int2
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."specimens" AS _3
    WHERE _3."an_int" = $3::int4
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."specimens" AS _4
    WHERE _4."an_int" = ANY ($4::int4[])
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."specimens" AS _5
    WHERE _5."an_int" > $3::int4
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."specimens" AS _6
    WHERE _6."a_bigint" = $5::int8
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."specimens" AS _7
    WHERE _7."a_bigint" = ANY ($6::int8[])
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."specimens" AS _8
    WHERE _8."a_bigint" > $5::int8
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."specimens" AS _9
    WHERE _9."a_real" = $7::float4
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."specimens" AS _10
    WHERE _10."a_real" = ANY ($8::float4[])
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."specimens" AS _11
    WHERE _11."a_real" > $7::float4
    ORDER BY _11."id"), array(SELECT row(_12."id")
    FROM "public"."specimens" AS _12
    WHERE _12."a_double" = $9::float8
    ORDER BY _12."id"), array(SELECT row(_13."id")
    FROM "public"."specimens" AS _13
    WHERE _13."a_double" = ANY ($10::float8[])
    ORDER BY _13."id"), array(SELECT row(_14."id")
    FROM "public"."specimens" AS _14
    WHERE _14."a_double" > $9::float8
    ORDER BY _14."id"), array(SELECT row(_15."id")
    FROM "public"."specimens" AS _15
    WHERE _15."a_numeric" = $11::numeric
    ORDER BY _15."id"), array(SELECT row(_16."id")
    FROM "public"."specimens" AS _16
    WHERE _16."a_numeric" = ANY ($12::numeric[])
    ORDER BY _16."id"), array(SELECT row(_17."id")
    FROM "public"."specimens" AS _17
    WHERE _17."a_numeric" > $11::numeric
    ORDER BY _17."id"), array(SELECT row(_18."id")
    FROM "public"."specimens" AS _18
    WHERE _18."a_boolean" = $13::bool
    ORDER BY _18."id"), array(SELECT row(_19."id")
    FROM "public"."specimens" AS _19
    WHERE _19."a_boolean" = ANY ($14::bool[])
    ORDER BY _19."id"), array(SELECT row(_20."id")
    FROM "public"."specimens" AS _20
    WHERE _20."a_boolean" > $13::bool
    ORDER BY _20."id"), array(SELECT row(_21."id")
    FROM "public"."specimens" AS _21
    WHERE _21."a_text" = $15::text
    ORDER BY _21."id"), array(SELECT row(_22."id")
    FROM "public"."specimens" AS _22
    WHERE _22."a_text" = ANY ($16::text[])
    ORDER BY _22."id"), array(SELECT row(_23."id")
    FROM "public"."specimens" AS _23
    WHERE _23."a_text" > $15::text
    ORDER BY _23."id"), array(SELECT row(_24."id")
    FROM "public"."specimens" AS _24
    WHERE _24."a_varchar" = $17::varchar
    ORDER BY _24."id"), array(SELECT row(_25."id")
    FROM "public"."specimens" AS _25
    WHERE _25."a_varchar" = ANY ($18::varchar[])
    ORDER BY _25."id"), array(SELECT row(_26."id")
    FROM "public"."specimens" AS _26
    WHERE _26."a_varchar" > $17::varchar
    ORDER BY _26."id"), array(SELECT row(_27."id")
    FROM "public"."specimens" AS _27
    WHERE _27."a_char" = $19::bpchar
    ORDER BY _27."id"), array(SELECT row(_28."id")
    FROM "public"."specimens" AS _28
    WHERE _28."a_char" = ANY ($20::bpchar[])
    ORDER BY _28."id"), array(SELECT row(_29."id")
    FROM "public"."specimens" AS _29
    WHERE _29."a_char" > $19::bpchar
    ORDER BY _29."id"), array(SELECT row(_30."id")
    FROM "public"."specimens" AS _30
    WHERE _30."a_name" = $21::name
    ORDER BY _30."id"), array(SELECT row(_31."id")
    FROM "public"."specimens" AS _31
    WHERE _31."a_name" = ANY ($22::name[])
    ORDER BY _31."id"), array(SELECT row(_32."id")
    FROM "public"."specimens" AS _32
    WHERE _32."a_name" > $21::name
    ORDER BY _32."id"), array(SELECT row(_33."id")
    FROM "public"."specimens" AS _33
    WHERE _33."one_char" = $23::"char"
    ORDER BY _33."id"), array(SELECT row(_34."id")
    FROM "public"."specimens" AS _34
    WHERE _34."one_char" = ANY ($24::"char"[])
    ORDER BY _34."id"), array(SELECT row(_35."id")
    FROM "public"."specimens" AS _35
    WHERE _35."one_char" > $23::"char"
    ORDER BY _35."id"), array(SELECT row(_36."id")
    FROM "public"."specimens" AS _36
    WHERE _36."a_uuid" = $25::uuid
    ORDER BY _36."id"), array(SELECT row(_37."id")
    FROM "public"."specimens" AS _37
    WHERE _37."a_uuid" = ANY ($26::uuid[])
    ORDER BY _37."id"), array(SELECT row(_38."id")
    FROM "public"."specimens" AS _38
    WHERE _38."a_uuid" > $25::uuid
    ORDER BY _38."id"), array(SELECT row(_39."id")
    FROM "public"."specimens" AS _39
    WHERE _39."a_date" = $27::date
    ORDER BY _39."id"), array(SELECT row(_40."id")
    FROM "public"."specimens" AS _40
    WHERE _40."a_date" = ANY ($28::date[])
    ORDER BY _40."id"), array(SELECT row(_41."id")
    FROM "public"."specimens" AS _41
    WHERE _41."a_date" > $27::date
    ORDER BY _41."id"), array(SELECT row(_42."id")
    FROM "public"."specimens" AS _42
    WHERE _42."a_time" = $29::time
    ORDER BY _42."id"), array(SELECT row(_43."id")
    FROM "public"."specimens" AS _43
    WHERE _43."a_time" = ANY ($30::time[])
    ORDER BY _43."id"), array(SELECT row(_44."id")
    FROM "public"."specimens" AS _44
    WHERE _44."a_time" > $29::time
    ORDER BY _44."id");
-- $1: "0" of the document
-- $2: "{\"0\"}" of the document
-- $3: "-1" of the document
-- $4: "{\"-1\"}" of the document
-- $5: "9223372036854775807" of the document
-- $6: "{\"9223372036854775807\"}" of the document
-- $7: "1.5" of the document
-- $8: "{\"1.5\"}" of the document
-- $9: "0.1" of the document
-- $10: "{\"0.1\"}" of the document
-- $11: "12345678901234567890.123456789" of the document
-- $12: "{\"12345678901234567890.123456789\"}" of the document
-- $13: "true" of the document
-- $14: "{\"true\"}" of the document
-- $15: "" of the document
-- $16: "{\"\"}" of the document
-- $17: "varchar" of the document
-- $18: "{\"varchar\"}" of the document
-- $19: "ab" of the document
-- $20: "{\"ab\"}" of the document
-- $21: "a_name" of the document
-- $22: "{\"a_name\"}" of the document
-- $23: "x" of the document
-- $24: "{\"x\"}" of the document
-- $25: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11" of the document
-- $26: "{\"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11\"}" of the document
-- $27: "2024-02-29" of the document
-- $28: "{\"2024-02-29\"}" of the document
-- $29: "23:59:59.123" of the document
-- $30: "{\"23:59:59.123\"}" of the document
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
-- _24 public.specimens: every row
-- _25 public.specimens: every row
-- _26 public.specimens: every row
-- _27 public.specimens: every row
-- _28 public.specimens: every row
-- _29 public.specimens: every row
-- _30 public.specimens: every row
-- _31 public.specimens: every row
-- _32 public.specimens: every row
-- _33 public.specimens: every row
-- _34 public.specimens: every row
-- _35 public.specimens: every row
-- _36 public.specimens: every row
-- _37 public.specimens: every row
-- _38 public.specimens: every row
-- _39 public.specimens: every row
-- _40 public.specimens: every row
-- _41 public.specimens: every row
-- _42 public.specimens: every row
-- _43 public.specimens: every row
-- _44 public.specimens: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."specimens" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND _0."a_smallint" = $2::int2
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."specimens" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND _1."a_smallint" = ANY ($3::int2[])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."specimens" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."a_smallint" > $2::int2
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."specimens" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."an_int" = $4::int4
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."specimens" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."an_int" = ANY ($5::int4[])
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."specimens" AS _5
    WHERE (_5."owner_id" = $1::int4)
    AND _5."an_int" > $4::int4
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."specimens" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."a_bigint" = $6::int8
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."specimens" AS _7
    WHERE (_7."owner_id" = $1::int4)
    AND _7."a_bigint" = ANY ($7::int8[])
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."specimens" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."a_bigint" > $6::int8
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."specimens" AS _9
    WHERE (_9."owner_id" = $1::int4)
    AND _9."a_real" = $8::float4
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."specimens" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND _10."a_real" = ANY ($9::float4[])
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."specimens" AS _11
    WHERE (_11."owner_id" = $1::int4)
    AND _11."a_real" > $8::float4
    ORDER BY _11."id"), array(SELECT row(_12."id")
    FROM "public"."specimens" AS _12
    WHERE (_12."owner_id" = $1::int4)
    AND _12."a_double" = $10::float8
    ORDER BY _12."id"), array(SELECT row(_13."id")
    FROM "public"."specimens" AS _13
    WHERE (_13."owner_id" = $1::int4)
    AND _13."a_double" = ANY ($11::float8[])
    ORDER BY _13."id"), array(SELECT row(_14."id")
    FROM "public"."specimens" AS _14
    WHERE (_14."owner_id" = $1::int4)
    AND _14."a_double" > $10::float8
    ORDER BY _14."id"), array(SELECT row(_15."id")
    FROM "public"."specimens" AS _15
    WHERE (_15."owner_id" = $1::int4)
    AND _15."a_numeric" = $12::numeric
    ORDER BY _15."id"), array(SELECT row(_16."id")
    FROM "public"."specimens" AS _16
    WHERE (_16."owner_id" = $1::int4)
    AND _16."a_numeric" = ANY ($13::numeric[])
    ORDER BY _16."id"), array(SELECT row(_17."id")
    FROM "public"."specimens" AS _17
    WHERE (_17."owner_id" = $1::int4)
    AND _17."a_numeric" > $12::numeric
    ORDER BY _17."id"), array(SELECT row(_18."id")
    FROM "public"."specimens" AS _18
    WHERE (_18."owner_id" = $1::int4)
    AND _18."a_boolean" = $14::bool
    ORDER BY _18."id"), array(SELECT row(_19."id")
    FROM "public"."specimens" AS _19
    WHERE (_19."owner_id" = $1::int4)
    AND _19."a_boolean" = ANY ($15::bool[])
    ORDER BY _19."id"), array(SELECT row(_20."id")
    FROM "public"."specimens" AS _20
    WHERE (_20."owner_id" = $1::int4)
    AND _20."a_boolean" > $14::bool
    ORDER BY _20."id"), array(SELECT row(_21."id")
    FROM "public"."specimens" AS _21
    WHERE (_21."owner_id" = $1::int4)
    AND _21."a_text" = $16::text
    ORDER BY _21."id"), array(SELECT row(_22."id")
    FROM "public"."specimens" AS _22
    WHERE (_22."owner_id" = $1::int4)
    AND _22."a_text" = ANY ($17::text[])
    ORDER BY _22."id"), array(SELECT row(_23."id")
    FROM "public"."specimens" AS _23
    WHERE (_23."owner_id" = $1::int4)
    AND _23."a_text" > $16::text
    ORDER BY _23."id"), array(SELECT row(_24."id")
    FROM "public"."specimens" AS _24
    WHERE (_24."owner_id" = $1::int4)
    AND _24."a_varchar" = $18::varchar
    ORDER BY _24."id"), array(SELECT row(_25."id")
    FROM "public"."specimens" AS _25
    WHERE (_25."owner_id" = $1::int4)
    AND _25."a_varchar" = ANY ($19::varchar[])
    ORDER BY _25."id"), array(SELECT row(_26."id")
    FROM "public"."specimens" AS _26
    WHERE (_26."owner_id" = $1::int4)
    AND _26."a_varchar" > $18::varchar
    ORDER BY _26."id"), array(SELECT row(_27."id")
    FROM "public"."specimens" AS _27
    WHERE (_27."owner_id" = $1::int4)
    AND _27."a_char" = $20::bpchar
    ORDER BY _27."id"), array(SELECT row(_28."id")
    FROM "public"."specimens" AS _28
    WHERE (_28."owner_id" = $1::int4)
    AND _28."a_char" = ANY ($21::bpchar[])
    ORDER BY _28."id"), array(SELECT row(_29."id")
    FROM "public"."specimens" AS _29
    WHERE (_29."owner_id" = $1::int4)
    AND _29."a_char" > $20::bpchar
    ORDER BY _29."id"), array(SELECT row(_30."id")
    FROM "public"."specimens" AS _30
    WHERE (_30."owner_id" = $1::int4)
    AND _30."a_name" = $22::name
    ORDER BY _30."id"), array(SELECT row(_31."id")
    FROM "public"."specimens" AS _31
    WHERE (_31."owner_id" = $1::int4)
    AND _31."a_name" = ANY ($23::name[])
    ORDER BY _31."id"), array(SELECT row(_32."id")
    FROM "public"."specimens" AS _32
    WHERE (_32."owner_id" = $1::int4)
    AND _32."a_name" > $22::name
    ORDER BY _32."id"), array(SELECT row(_33."id")
    FROM "public"."specimens" AS _33
    WHERE (_33."owner_id" = $1::int4)
    AND _33."one_char" = $24::"char"
    ORDER BY _33."id"), array(SELECT row(_34."id")
    FROM "public"."specimens" AS _34
    WHERE (_34."owner_id" = $1::int4)
    AND _34."one_char" = ANY ($25::"char"[])
    ORDER BY _34."id"), array(SELECT row(_35."id")
    FROM "public"."specimens" AS _35
    WHERE (_35."owner_id" = $1::int4)
    AND _35."one_char" > $24::"char"
    ORDER BY _35."id"), array(SELECT row(_36."id")
    FROM "public"."specimens" AS _36
    WHERE (_36."owner_id" = $1::int4)
    AND _36."a_uuid" = $26::uuid
    ORDER BY _36."id"), array(SELECT row(_37."id")
    FROM "public"."specimens" AS _37
    WHERE (_37."owner_id" = $1::int4)
    AND _37."a_uuid" = ANY ($27::uuid[])
    ORDER BY _37."id"), array(SELECT row(_38."id")
    FROM "public"."specimens" AS _38
    WHERE (_38."owner_id" = $1::int4)
    AND _38."a_uuid" > $26::uuid
    ORDER BY _38."id"), array(SELECT row(_39."id")
    FROM "public"."specimens" AS _39
    WHERE (_39."owner_id" = $1::int4)
    AND _39."a_date" = $28::date
    ORDER BY _39."id"), array(SELECT row(_40."id")
    FROM "public"."specimens" AS _40
    WHERE (_40."owner_id" = $1::int4)
    AND _40."a_date" = ANY ($29::date[])
    ORDER BY _40."id"), array(SELECT row(_41."id")
    FROM "public"."specimens" AS _41
    WHERE (_41."owner_id" = $1::int4)
    AND _41."a_date" > $28::date
    ORDER BY _41."id"), array(SELECT row(_42."id")
    FROM "public"."specimens" AS _42
    WHERE (_42."owner_id" = $1::int4)
    AND _42."a_time" = $30::time
    ORDER BY _42."id"), array(SELECT row(_43."id")
    FROM "public"."specimens" AS _43
    WHERE (_43."owner_id" = $1::int4)
    AND _43."a_time" = ANY ($31::time[])
    ORDER BY _43."id"), array(SELECT row(_44."id")
    FROM "public"."specimens" AS _44
    WHERE (_44."owner_id" = $1::int4)
    AND _44."a_time" > $30::time
    ORDER BY _44."id");
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: "{\"0\"}" of the document
-- $4: "-1" of the document
-- $5: "{\"-1\"}" of the document
-- $6: "9223372036854775807" of the document
-- $7: "{\"9223372036854775807\"}" of the document
-- $8: "1.5" of the document
-- $9: "{\"1.5\"}" of the document
-- $10: "0.1" of the document
-- $11: "{\"0.1\"}" of the document
-- $12: "12345678901234567890.123456789" of the document
-- $13: "{\"12345678901234567890.123456789\"}" of the document
-- $14: "true" of the document
-- $15: "{\"true\"}" of the document
-- $16: "" of the document
-- $17: "{\"\"}" of the document
-- $18: "varchar" of the document
-- $19: "{\"varchar\"}" of the document
-- $20: "ab" of the document
-- $21: "{\"ab\"}" of the document
-- $22: "a_name" of the document
-- $23: "{\"a_name\"}" of the document
-- $24: "x" of the document
-- $25: "{\"x\"}" of the document
-- $26: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11" of the document
-- $27: "{\"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11\"}" of the document
-- $28: "2024-02-29" of the document
-- $29: "{\"2024-02-29\"}" of the document
-- $30: "23:59:59.123" of the document
-- $31: "{\"23:59:59.123\"}" of the document
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
-- _24 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _25 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _26 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _27 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _28 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _29 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _30 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _31 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _32 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _33 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _34 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _35 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _36 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _37 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _38 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _39 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _40 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _41 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _42 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _43 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _44 public.specimens: permissions.toml:194: owner_id = session.user_id
