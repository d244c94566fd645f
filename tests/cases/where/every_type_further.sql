-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."specimens" AS _2
    WHERE _2."a_timetz" = $1::timetz
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."specimens" AS _4
    WHERE _4."a_timetz" = ANY ($2::timetz[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."specimens" AS _6
    WHERE _6."a_timetz" > $1::timetz
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."specimens" AS _8
    WHERE _8."a_timestamp" = $3::timestamp
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."specimens" AS _10
    WHERE _10."a_timestamp" = ANY ($4::timestamp[])
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."specimens" AS _12
    WHERE _12."a_timestamp" > $3::timestamp
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."specimens" AS _14
    WHERE _14."a_timestamptz" = $5::timestamptz
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."specimens" AS _16
    WHERE _16."a_timestamptz" = ANY ($6::timestamptz[])
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."specimens" AS _18
    WHERE _18."a_timestamptz" > $5::timestamptz
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."specimens" AS _20
    WHERE _20."an_interval" = $7::interval
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM "public"."specimens" AS _22
    WHERE _22."an_interval" = ANY ($8::interval[])
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM "public"."specimens" AS _24
    WHERE _24."an_interval" > $7::interval
    ORDER BY _24."id") UNION ALL (SELECT 12::int2, _26."id", null::int2
    FROM "public"."specimens" AS _26
    WHERE _26."a_bytea" = $9::bytea
    ORDER BY _26."id") UNION ALL (SELECT 13::int2, _28."id", null::int2
    FROM "public"."specimens" AS _28
    WHERE _28."a_bytea" = ANY ($10::bytea[])
    ORDER BY _28."id") UNION ALL (SELECT 14::int2, _30."id", null::int2
    FROM "public"."specimens" AS _30
    WHERE _30."a_bytea" > $9::bytea
    ORDER BY _30."id") UNION ALL (SELECT 15::int2, _32."id", null::int2
    FROM "public"."specimens" AS _32
    WHERE _32."an_inet" = $11::inet
    ORDER BY _32."id") UNION ALL (SELECT 16::int2, _34."id", null::int2
    FROM "public"."specimens" AS _34
    WHERE _34."an_inet" = ANY ($12::inet[])
    ORDER BY _34."id") UNION ALL (SELECT 17::int2, _36."id", null::int2
    FROM "public"."specimens" AS _36
    WHERE _36."an_inet" > $11::inet
    ORDER BY _36."id") UNION ALL (SELECT 18::int2, _38."id", null::int2
    FROM "public"."specimens" AS _38
    WHERE _38."a_macaddr" = $13::macaddr
    ORDER BY _38."id") UNION ALL (SELECT 19::int2, _40."id", null::int2
    FROM "public"."specimens" AS _40
    WHERE _40."a_macaddr" = ANY ($14::macaddr[])
    ORDER BY _40."id") UNION ALL (SELECT 20::int2, _42."id", null::int2
    FROM "public"."specimens" AS _42
    WHERE _42."a_macaddr" > $13::macaddr
    ORDER BY _42."id") UNION ALL (SELECT 21::int2, _44."id", null::int2
    FROM "public"."specimens" AS _44
    WHERE _44."a_money" = $15::money
    ORDER BY _44."id") UNION ALL (SELECT 22::int2, _46."id", null::int2
    FROM "public"."specimens" AS _46
    WHERE _46."a_money" = ANY ($16::money[])
    ORDER BY _46."id") UNION ALL (SELECT 23::int2, _48."id", null::int2
    FROM "public"."specimens" AS _48
    WHERE _48."a_money" > $15::money
    ORDER BY _48."id") UNION ALL (SELECT 24::int2, _50."id", null::int2
    FROM "public"."specimens" AS _50
    WHERE _50."an_oid" = $17::oid
    ORDER BY _50."id") UNION ALL (SELECT 25::int2, _52."id", null::int2
    FROM "public"."specimens" AS _52
    WHERE _52."an_oid" = ANY ($18::oid[])
    ORDER BY _52."id") UNION ALL (SELECT 26::int2, _54."id", null::int2
    FROM "public"."specimens" AS _54
    WHERE _54."an_oid" > $17::oid
    ORDER BY _54."id") UNION ALL (SELECT 27::int2, _56."id", null::int2
    FROM "public"."specimens" AS _56
    WHERE _56."a_bit" = $19::"bit"
    ORDER BY _56."id") UNION ALL (SELECT 28::int2, _58."id", null::int2
    FROM "public"."specimens" AS _58
    WHERE _58."a_bit" = ANY ($20::"bit"[])
    ORDER BY _58."id") UNION ALL (SELECT 29::int2, _60."id", null::int2
    FROM "public"."specimens" AS _60
    WHERE _60."a_bit" > $19::"bit"
    ORDER BY _60."id") UNION ALL (SELECT 30::int2, _62."id", null::int2
    FROM "public"."specimens" AS _62
    WHERE _62."an_int4range" = $21::int4range
    ORDER BY _62."id") UNION ALL (SELECT 31::int2, _64."id", null::int2
    FROM "public"."specimens" AS _64
    WHERE _64."an_int4range" = ANY ($22::int4range[])
    ORDER BY _64."id") UNION ALL (SELECT 32::int2, _66."id", null::int2
    FROM "public"."specimens" AS _66
    WHERE _66."an_int4range" > $21::int4range
    ORDER BY _66."id") UNION ALL (SELECT 33::int2, _68."id", null::int2
    FROM "public"."specimens" AS _68
    WHERE _68."a_span" = $23::text::"public"."span"
    ORDER BY _68."id") UNION ALL (SELECT 34::int2, _70."id", null::int2
    FROM "public"."specimens" AS _70
    WHERE _70."a_span" = ANY ($24::text::"public"."span"[])
    ORDER BY _70."id") UNION ALL (SELECT 35::int2, _72."id", null::int2
    FROM "public"."specimens" AS _72
    WHERE _72."a_span" > $23::text::"public"."span"
    ORDER BY _72."id") UNION ALL (SELECT 36::int2, _74."id", null::int2
    FROM "public"."specimens" AS _74
    WHERE _74."a_mood" = $25::text::"public"."mood"
    ORDER BY _74."id") UNION ALL (SELECT 37::int2, _76."id", null::int2
    FROM "public"."specimens" AS _76
    WHERE _76."a_mood" = ANY ($26::text::"public"."mood"[])
    ORDER BY _76."id") UNION ALL (SELECT 38::int2, _78."id", null::int2
    FROM "public"."specimens" AS _78
    WHERE _78."a_mood" > $25::text::"public"."mood"
    ORDER BY _78."id") UNION ALL (SELECT 39::int2, _80."id", null::int2
    FROM "public"."specimens" AS _80
    WHERE _80."a_sku" = $27::text
    ORDER BY _80."id") UNION ALL (SELECT 40::int2, _82."id", null::int2
    FROM "public"."specimens" AS _82
    WHERE _82."a_sku" = ANY ($28::text[])
    ORDER BY _82."id") UNION ALL (SELECT 41::int2, _84."id", null::int2
    FROM "public"."specimens" AS _84
    WHERE _84."a_sku" > $27::text
    ORDER BY _84."id") UNION ALL (SELECT 42::int2, _86."id", null::int2
    FROM "public"."specimens" AS _86
    WHERE _86."a_percent" = $29::numeric
    ORDER BY _86."id") UNION ALL (SELECT 43::int2, _88."id", null::int2
    FROM "public"."specimens" AS _88
    WHERE _88."a_percent" = ANY ($30::numeric[])
    ORDER BY _88."id") UNION ALL (SELECT 44::int2, _90."id", null::int2
    FROM "public"."specimens" AS _90
    WHERE _90."a_percent" > $29::numeric
    ORDER BY _90."id") UNION ALL SELECT 45::int2, null::int4, _0.c0
  FROM _0;
-- $1: "12:00:00+02" of the document
-- $2: "{\"12:00:00+02\"}" of the document
-- $3: "2024-01-01T00:00:00" of the document
-- $4: "{\"2024-01-01T00:00:00\"}" of the document
-- $5: "2023-12-31T22:00:00Z" of the document
-- $6: "{\"2023-12-31T22:00:00Z\"}" of the document
-- $7: "1 day" of the document
-- $8: "{\"1 day\"}" of the document
-- $9: "\\x00ff" of the document
-- $10: "{\"\\\\x00ff\"}" of the document
-- $11: "10.0.0.1" of the document
-- $12: "{\"10.0.0.1\"}" of the document
-- $13: "08:00:2b:01:02:03" of the document
-- $14: "{\"08:00:2b:01:02:03\"}" of the document
-- $15: "0.00" of the document
-- $16: "{\"0.00\"}" of the document
-- $17: "16" of the document
-- $18: "{\"16\"}" of the document
-- $19: "101" of the document
-- $20: "{\"101\"}" of the document
-- $21: "[1,5)" of the document
-- $22: "{\"[1,5)\"}" of the document
-- $23: "[1.5,2.5)" of the document
-- $24: "{\"[1.5,2.5)\"}" of the document
-- $25: "ok" of the document
-- $26: "{\"ok\"}" of the document
-- $27: "AB-1" of the document
-- $28: "{\"AB-1\"}" of the document
-- $29: "12.5" of the document
-- $30: "{\"12.5\"}" of the document
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
-- _50 public.specimens: every row
-- _52 public.specimens: every row
-- _54 public.specimens: every row
-- _56 public.specimens: every row
-- _58 public.specimens: every row
-- _60 public.specimens: every row
-- _62 public.specimens: every row
-- _64 public.specimens: every row
-- _66 public.specimens: every row
-- _68 public.specimens: every row
-- _70 public.specimens: every row
-- _72 public.specimens: every row
-- _74 public.specimens: every row
-- _76 public.specimens: every row
-- _78 public.specimens: every row
-- _80 public.specimens: every row
-- _82 public.specimens: every row
-- _84 public.specimens: every row
-- _86 public.specimens: every row
-- _88 public.specimens: every row
-- _90 public.specimens: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."specimens" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."a_timetz" = $2::timetz
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."specimens" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."a_timetz" = ANY ($3::timetz[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."specimens" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."a_timetz" > $2::timetz
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."specimens" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."a_timestamp" = $4::timestamp
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."specimens" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND _10."a_timestamp" = ANY ($5::timestamp[])
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."specimens" AS _12
    WHERE (_12."owner_id" = $1::int4)
    AND _12."a_timestamp" > $4::timestamp
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."specimens" AS _14
    WHERE (_14."owner_id" = $1::int4)
    AND _14."a_timestamptz" = $6::timestamptz
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."specimens" AS _16
    WHERE (_16."owner_id" = $1::int4)
    AND _16."a_timestamptz" = ANY ($7::timestamptz[])
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."specimens" AS _18
    WHERE (_18."owner_id" = $1::int4)
    AND _18."a_timestamptz" > $6::timestamptz
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."specimens" AS _20
    WHERE (_20."owner_id" = $1::int4)
    AND _20."an_interval" = $8::interval
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM "public"."specimens" AS _22
    WHERE (_22."owner_id" = $1::int4)
    AND _22."an_interval" = ANY ($9::interval[])
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM "public"."specimens" AS _24
    WHERE (_24."owner_id" = $1::int4)
    AND _24."an_interval" > $8::interval
    ORDER BY _24."id") UNION ALL (SELECT 12::int2, _26."id", null::int2
    FROM "public"."specimens" AS _26
    WHERE (_26."owner_id" = $1::int4)
    AND _26."a_bytea" = $10::bytea
    ORDER BY _26."id") UNION ALL (SELECT 13::int2, _28."id", null::int2
    FROM "public"."specimens" AS _28
    WHERE (_28."owner_id" = $1::int4)
    AND _28."a_bytea" = ANY ($11::bytea[])
    ORDER BY _28."id") UNION ALL (SELECT 14::int2, _30."id", null::int2
    FROM (SELECT _30."id", _30."a_bytea"
      FROM "public"."specimens" AS _30
      WHERE (_30."owner_id" = $1::int4)
      OFFSET 0) AS _30
    WHERE _30."a_bytea" > (SELECT $10::bytea)
    ORDER BY _30."id") UNION ALL (SELECT 15::int2, _32."id", null::int2
    FROM "public"."specimens" AS _32
    WHERE (_32."owner_id" = $1::int4)
    AND _32."an_inet" = $12::inet
    ORDER BY _32."id") UNION ALL (SELECT 16::int2, _34."id", null::int2
    FROM "public"."specimens" AS _34
    WHERE (_34."owner_id" = $1::int4)
    AND _34."an_inet" = ANY ($13::inet[])
    ORDER BY _34."id") UNION ALL (SELECT 17::int2, _36."id", null::int2
    FROM "public"."specimens" AS _36
    WHERE (_36."owner_id" = $1::int4)
    AND _36."an_inet" > $12::inet
    ORDER BY _36."id") UNION ALL (SELECT 18::int2, _38."id", null::int2
    FROM "public"."specimens" AS _38
    WHERE (_38."owner_id" = $1::int4)
    AND _38."a_macaddr" = $14::macaddr
    ORDER BY _38."id") UNION ALL (SELECT 19::int2, _40."id", null::int2
    FROM "public"."specimens" AS _40
    WHERE (_40."owner_id" = $1::int4)
    AND _40."a_macaddr" = ANY ($15::macaddr[])
    ORDER BY _40."id") UNION ALL (SELECT 20::int2, _42."id", null::int2
    FROM "public"."specimens" AS _42
    WHERE (_42."owner_id" = $1::int4)
    AND _42."a_macaddr" > $14::macaddr
    ORDER BY _42."id") UNION ALL (SELECT 21::int2, _44."id", null::int2
    FROM "public"."specimens" AS _44
    WHERE (_44."owner_id" = $1::int4)
    AND _44."a_money" = $16::money
    ORDER BY _44."id") UNION ALL (SELECT 22::int2, _46."id", null::int2
    FROM "public"."specimens" AS _46
    WHERE (_46."owner_id" = $1::int4)
    AND _46."a_money" = ANY ($17::money[])
    ORDER BY _46."id") UNION ALL (SELECT 23::int2, _48."id", null::int2
    FROM "public"."specimens" AS _48
    WHERE (_48."owner_id" = $1::int4)
    AND _48."a_money" > $16::money
    ORDER BY _48."id") UNION ALL (SELECT 24::int2, _50."id", null::int2
    FROM "public"."specimens" AS _50
    WHERE (_50."owner_id" = $1::int4)
    AND _50."an_oid" = $18::oid
    ORDER BY _50."id") UNION ALL (SELECT 25::int2, _52."id", null::int2
    FROM "public"."specimens" AS _52
    WHERE (_52."owner_id" = $1::int4)
    AND _52."an_oid" = ANY ($19::oid[])
    ORDER BY _52."id") UNION ALL (SELECT 26::int2, _54."id", null::int2
    FROM "public"."specimens" AS _54
    WHERE (_54."owner_id" = $1::int4)
    AND _54."an_oid" > $18::oid
    ORDER BY _54."id") UNION ALL (SELECT 27::int2, _56."id", null::int2
    FROM (SELECT _56."id", _56."a_bit"
      FROM "public"."specimens" AS _56
      WHERE (_56."owner_id" = $1::int4)
      OFFSET 0) AS _56
    WHERE _56."a_bit" = (SELECT $20::"bit")
    ORDER BY _56."id") UNION ALL (SELECT 28::int2, _58."id", null::int2
    FROM (SELECT _58."id", _58."a_bit"
      FROM "public"."specimens" AS _58
      WHERE (_58."owner_id" = $1::int4)
      OFFSET 0) AS _58
    WHERE _58."a_bit" = ANY ((SELECT $21::"bit"[])::"bit"[])
    ORDER BY _58."id") UNION ALL (SELECT 29::int2, _60."id", null::int2
    FROM (SELECT _60."id", _60."a_bit"
      FROM "public"."specimens" AS _60
      WHERE (_60."owner_id" = $1::int4)
      OFFSET 0) AS _60
    WHERE _60."a_bit" > (SELECT $20::"bit")
    ORDER BY _60."id") UNION ALL (SELECT 30::int2, _62."id", null::int2
    FROM "public"."specimens" AS _62
    WHERE (_62."owner_id" = $1::int4)
    AND _62."an_int4range" = $22::int4range
    ORDER BY _62."id") UNION ALL (SELECT 31::int2, _64."id", null::int2
    FROM "public"."specimens" AS _64
    WHERE (_64."owner_id" = $1::int4)
    AND _64."an_int4range" = ANY ($23::int4range[])
    ORDER BY _64."id") UNION ALL (SELECT 32::int2, _66."id", null::int2
    FROM "public"."specimens" AS _66
    WHERE (_66."owner_id" = $1::int4)
    AND _66."an_int4range" > $22::int4range
    ORDER BY _66."id") UNION ALL (SELECT 33::int2, _68."id", null::int2
    FROM (SELECT _68."id", _68."a_span"
      FROM "public"."specimens" AS _68
      WHERE (_68."owner_id" = $1::int4)
      OFFSET 0) AS _68
    WHERE _68."a_span" = (SELECT $24::text::"public"."span")
    ORDER BY _68."id") UNION ALL (SELECT 34::int2, _70."id", null::int2
    FROM (SELECT _70."id", _70."a_span"
      FROM "public"."specimens" AS _70
      WHERE (_70."owner_id" = $1::int4)
      OFFSET 0) AS _70
    WHERE _70."a_span" = ANY ((SELECT $25::text::"public"."span"[])::"public"."span"[])
    ORDER BY _70."id") UNION ALL (SELECT 35::int2, _72."id", null::int2
    FROM (SELECT _72."id", _72."a_span"
      FROM "public"."specimens" AS _72
      WHERE (_72."owner_id" = $1::int4)
      OFFSET 0) AS _72
    WHERE _72."a_span" > (SELECT $24::text::"public"."span")
    ORDER BY _72."id") UNION ALL (SELECT 36::int2, _74."id", null::int2
    FROM "public"."specimens" AS _74
    WHERE (_74."owner_id" = $1::int4)
    AND _74."a_mood" = $26::text::"public"."mood"
    ORDER BY _74."id") UNION ALL (SELECT 37::int2, _76."id", null::int2
    FROM "public"."specimens" AS _76
    WHERE (_76."owner_id" = $1::int4)
    AND _76."a_mood" = ANY ($27::text::"public"."mood"[])
    ORDER BY _76."id") UNION ALL (SELECT 38::int2, _78."id", null::int2
    FROM "public"."specimens" AS _78
    WHERE (_78."owner_id" = $1::int4)
    AND _78."a_mood" > $26::text::"public"."mood"
    ORDER BY _78."id") UNION ALL (SELECT 39::int2, _80."id", null::int2
    FROM "public"."specimens" AS _80
    WHERE (_80."owner_id" = $1::int4)
    AND _80."a_sku" = $28::text
    ORDER BY _80."id") UNION ALL (SELECT 40::int2, _82."id", null::int2
    FROM (SELECT _82."id", _82."a_sku"
      FROM "public"."specimens" AS _82
      WHERE (_82."owner_id" = $1::int4)
      OFFSET 0) AS _82
    WHERE _82."a_sku" = ANY ($29::text[])
    ORDER BY _82."id") UNION ALL (SELECT 41::int2, _84."id", null::int2
    FROM (SELECT _84."id", _84."a_sku"
      FROM "public"."specimens" AS _84
      WHERE (_84."owner_id" = $1::int4)
      OFFSET 0) AS _84
    WHERE _84."a_sku" > (SELECT $28::text)
    ORDER BY _84."id") UNION ALL (SELECT 42::int2, _86."id", null::int2
    FROM (SELECT _86."id", _86."a_percent"
      FROM "public"."specimens" AS _86
      WHERE (_86."owner_id" = $1::int4)
      OFFSET 0) AS _86
    WHERE _86."a_percent" = (SELECT $30::numeric)
    ORDER BY _86."id") UNION ALL (SELECT 43::int2, _88."id", null::int2
    FROM (SELECT _88."id", _88."a_percent"
      FROM "public"."specimens" AS _88
      WHERE (_88."owner_id" = $1::int4)
      OFFSET 0) AS _88
    WHERE _88."a_percent" = ANY ((SELECT $31::numeric[])::numeric[])
    ORDER BY _88."id") UNION ALL (SELECT 44::int2, _90."id", null::int2
    FROM (SELECT _90."id", _90."a_percent"
      FROM "public"."specimens" AS _90
      WHERE (_90."owner_id" = $1::int4)
      OFFSET 0) AS _90
    WHERE _90."a_percent" > (SELECT $30::numeric)
    ORDER BY _90."id") UNION ALL SELECT 45::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "12:00:00+02" of the document
-- $3: "{\"12:00:00+02\"}" of the document
-- $4: "2024-01-01T00:00:00" of the document
-- $5: "{\"2024-01-01T00:00:00\"}" of the document
-- $6: "2023-12-31T22:00:00Z" of the document
-- $7: "{\"2023-12-31T22:00:00Z\"}" of the document
-- $8: "1 day" of the document
-- $9: "{\"1 day\"}" of the document
-- $10: "\\x00ff" of the document
-- $11: "{\"\\\\x00ff\"}" of the document
-- $12: "10.0.0.1" of the document
-- $13: "{\"10.0.0.1\"}" of the document
-- $14: "08:00:2b:01:02:03" of the document
-- $15: "{\"08:00:2b:01:02:03\"}" of the document
-- $16: "0.00" of the document
-- $17: "{\"0.00\"}" of the document
-- $18: "16" of the document
-- $19: "{\"16\"}" of the document
-- $20: "101" of the document
-- $21: "{\"101\"}" of the document
-- $22: "[1,5)" of the document
-- $23: "{\"[1,5)\"}" of the document
-- $24: "[1.5,2.5)" of the document
-- $25: "{\"[1.5,2.5)\"}" of the document
-- $26: "ok" of the document
-- $27: "{\"ok\"}" of the document
-- $28: "AB-1" of the document
-- $29: "{\"AB-1\"}" of the document
-- $30: "12.5" of the document
-- $31: "{\"12.5\"}" of the document
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
-- _50 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _52 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _54 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _56 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _58 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _60 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _62 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _64 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _66 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _68 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _70 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _72 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _74 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _76 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _78 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _80 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _82 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _84 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _86 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _88 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _90 public.specimens: permissions.toml:194: owner_id = session.user_id
