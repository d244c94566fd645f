-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE (CASE jsonb_typeof((_2."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_2."doc" #> $1::text[]))::numeric = trunc(((_2."doc" #> $1::text[]))::numeric) THEN ((_2."doc" #> $1::text[]))::numeric END END) >= $2::numeric
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE (CASE jsonb_typeof((_4."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_4."doc" #> $1::text[]))::numeric = trunc(((_4."doc" #> $1::text[]))::numeric) THEN ((_4."doc" #> $1::text[]))::numeric END END) > $3::numeric
    AND (CASE jsonb_typeof((_4."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_4."doc" #> $1::text[]))::numeric = trunc(((_4."doc" #> $1::text[]))::numeric) THEN ((_4."doc" #> $1::text[]))::numeric END END) < $2::numeric
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE (CASE jsonb_typeof((_6."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_6."doc" #> $1::text[]))::numeric = trunc(((_6."doc" #> $1::text[]))::numeric) THEN ((_6."doc" #> $1::text[]))::numeric END END) IS NULL
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE ((CASE jsonb_typeof((_8."doc" #> $1::text[])) WHEN 'number' THEN ((_8."doc" #> $1::text[]))::numeric END) >= ($4::numeric[])[1]
      AND (CASE jsonb_typeof((_8."doc" #> $1::text[])) WHEN 'number' THEN ((_8."doc" #> $1::text[]))::numeric END) <= ($4::numeric[])[2])
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE (CASE jsonb_typeof((_10."doc" #> $5::text[])) WHEN 'number' THEN ((_10."doc" #> $5::text[]))::numeric END) > $6::numeric
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE (CASE jsonb_typeof((_12."doc" #> $7::text[])) WHEN 'number' THEN ((_12."doc" #> $7::text[]))::numeric END) = ANY ($8::numeric[])
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."items" AS _14
    WHERE (CASE jsonb_typeof((_14."doc" #> $9::text[])) WHEN 'string' THEN (_14."doc" #> $9::text[]) #>> '{}' END) ~~ $10::text
    AND (CASE jsonb_typeof((_14."doc" #> $9::text[])) WHEN 'string' THEN (_14."doc" #> $9::text[]) #>> '{}' END) ~ $11::text
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE NOT (((((CASE jsonb_typeof((_16."doc" #> $9::text[])) WHEN 'string' THEN (_16."doc" #> $9::text[]) #>> '{}' END) = $12::text))))
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."items" AS _18
    WHERE (CASE jsonb_typeof((_18."doc" #> $9::text[])) WHEN 'string' THEN (_18."doc" #> $9::text[]) #>> '{}' END) ^@ $13::text
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."items" AS _20
    WHERE (CASE jsonb_typeof((_20."doc" #> $14::text[])) WHEN 'boolean' THEN ((_20."doc" #> $14::text[]))::bool END) = $15::bool
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM "public"."items" AS _22
    WHERE (CASE WHEN jsonb_typeof((_22."doc" #> $16::text[])) = 'string'
      AND ((_22."doc" #> $16::text[]) #>> '{}') ~ '^[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$' THEN ((_22."doc" #> $16::text[]) #>> '{}')::uuid END) = $17::uuid
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM "public"."items" AS _24
    WHERE (CASE WHEN jsonb_typeof((_24."doc" #> $18::text[])) = 'string'
      AND ((_24."doc" #> $18::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' THEN ((_24."doc" #> $18::text[]) #>> '{}')::date END) > $19::date
    ORDER BY _24."id") UNION ALL (SELECT 12::int2, _26."id", null::int2
    FROM "public"."items" AS _26
    WHERE (CASE WHEN jsonb_typeof((_26."doc" #> $20::text[])) = 'string'
      AND ((_26."doc" #> $20::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?)?$' THEN ((_26."doc" #> $20::text[]) #>> '{}')::timestamptz END) <= $21::timestamptz
    ORDER BY _26."id") UNION ALL (SELECT 13::int2, _28."id", null::int2
    FROM "public"."items" AS _28
    WHERE ((_28."doc" #> $22::text[])) @> $23::jsonb
    ORDER BY _28."id") UNION ALL (SELECT 14::int2, _30."id", null::int2
    FROM "public"."items" AS _30
    WHERE ((_30."doc" #> $22::text[])) ? $24::text
    ORDER BY _30."id") UNION ALL (SELECT 15::int2, _32."id", null::int2
    FROM "public"."items" AS _32
    WHERE ((CASE jsonb_typeof((_32."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_32."doc" #> $1::text[]))::numeric = trunc(((_32."doc" #> $1::text[]))::numeric) THEN ((_32."doc" #> $1::text[]))::numeric END END) = $2::numeric) IS NOT TRUE
    ORDER BY _32."id") UNION ALL SELECT 16::int2, null::int4, _0.c0
  FROM _0;
-- $1: "{\"n\"}" of the document
-- $2: "3" of the document
-- $3: "1" of the document
-- $4: "{\"3\",\"8.5\"}" of the document
-- $5: "{\"big\"}" of the document
-- $6: "1e+300" of the document
-- $7: "{\"list\",\"1\",\"x\"}" of the document
-- $8: "{\"2.5\",\"3\"}" of the document
-- $9: "{\"s\"}" of the document
-- $10: "a%" of the document
-- $11: "c$" of the document
-- $12: "x" of the document
-- $13: "ab" of the document
-- $14: "{\"b\"}" of the document
-- $15: "true" of the document
-- $16: "{\"id\"}" of the document
-- $17: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11" of the document
-- $18: "{\"day\"}" of the document
-- $19: "2000-01-01" of the document
-- $20: "{\"at\"}" of the document
-- $21: "2024-02-29T12:00:00Z" of the document
-- $22: "{\"tags\"}" of the document
-- $23: "[\"red\"]" of the document
-- $24: "blue" of the document
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
-- _28 public.items: every row
-- _30 public.items: every row
-- _32 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."doc"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE (CASE jsonb_typeof((_2."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_2."doc" #> $2::text[]))::numeric = trunc(((_2."doc" #> $2::text[]))::numeric) THEN ((_2."doc" #> $2::text[]))::numeric END END) >= (SELECT $3::numeric)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."doc"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE (CASE jsonb_typeof((_4."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_4."doc" #> $2::text[]))::numeric = trunc(((_4."doc" #> $2::text[]))::numeric) THEN ((_4."doc" #> $2::text[]))::numeric END END) > (SELECT $4::numeric)
    AND (CASE jsonb_typeof((_4."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_4."doc" #> $2::text[]))::numeric = trunc(((_4."doc" #> $2::text[]))::numeric) THEN ((_4."doc" #> $2::text[]))::numeric END END) < (SELECT $3::numeric)
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."doc"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE (CASE jsonb_typeof((_6."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_6."doc" #> $2::text[]))::numeric = trunc(((_6."doc" #> $2::text[]))::numeric) THEN ((_6."doc" #> $2::text[]))::numeric END END) IS NULL
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."doc"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE ((CASE jsonb_typeof((_8."doc" #> $2::text[])) WHEN 'number' THEN ((_8."doc" #> $2::text[]))::numeric END) >= ((SELECT $5::numeric[])::numeric[])[1]
      AND (CASE jsonb_typeof((_8."doc" #> $2::text[])) WHEN 'number' THEN ((_8."doc" #> $2::text[]))::numeric END) <= ((SELECT $5::numeric[])::numeric[])[2])
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."doc"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE (CASE jsonb_typeof((_10."doc" #> $6::text[])) WHEN 'number' THEN ((_10."doc" #> $6::text[]))::numeric END) > (SELECT $7::numeric)
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."doc"
      FROM "public"."items" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE (CASE jsonb_typeof((_12."doc" #> $8::text[])) WHEN 'number' THEN ((_12."doc" #> $8::text[]))::numeric END) = ANY ((SELECT $9::numeric[])::numeric[])
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."doc"
      FROM "public"."items" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE (CASE jsonb_typeof((_14."doc" #> $10::text[])) WHEN 'string' THEN (_14."doc" #> $10::text[]) #>> '{}' END) ~~ (SELECT $11::text)
    AND (CASE jsonb_typeof((_14."doc" #> $10::text[])) WHEN 'string' THEN (_14."doc" #> $10::text[]) #>> '{}' END) ~ (SELECT $12::text)
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM (SELECT _16."id", _16."doc"
      FROM "public"."items" AS _16
      WHERE (_16."owner_id" = $1::int4)
      OFFSET 0) AS _16
    WHERE NOT (((((CASE jsonb_typeof((_16."doc" #> $10::text[])) WHEN 'string' THEN (_16."doc" #> $10::text[]) #>> '{}' END) = (SELECT $13::text)))))
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM (SELECT _18."id", _18."doc"
      FROM "public"."items" AS _18
      WHERE (_18."owner_id" = $1::int4)
      OFFSET 0) AS _18
    WHERE (CASE jsonb_typeof((_18."doc" #> $10::text[])) WHEN 'string' THEN (_18."doc" #> $10::text[]) #>> '{}' END) ^@ (SELECT $14::text)
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM (SELECT _20."id", _20."doc"
      FROM "public"."items" AS _20
      WHERE (_20."owner_id" = $1::int4)
      OFFSET 0) AS _20
    WHERE (CASE jsonb_typeof((_20."doc" #> $15::text[])) WHEN 'boolean' THEN ((_20."doc" #> $15::text[]))::bool END) = (SELECT $16::bool)
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM (SELECT _22."id", _22."doc"
      FROM "public"."items" AS _22
      WHERE (_22."owner_id" = $1::int4)
      OFFSET 0) AS _22
    WHERE (CASE WHEN jsonb_typeof((_22."doc" #> $17::text[])) = 'string'
      AND ((_22."doc" #> $17::text[]) #>> '{}') ~ '^[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$' THEN ((_22."doc" #> $17::text[]) #>> '{}')::uuid END) = (SELECT $18::uuid)
    ORDER BY _22."id") UNION ALL (SELECT 11::int2, _24."id", null::int2
    FROM (SELECT _24."id", _24."doc"
      FROM "public"."items" AS _24
      WHERE (_24."owner_id" = $1::int4)
      OFFSET 0) AS _24
    WHERE (CASE WHEN jsonb_typeof((_24."doc" #> $19::text[])) = 'string'
      AND ((_24."doc" #> $19::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' THEN ((_24."doc" #> $19::text[]) #>> '{}')::date END) > (SELECT $20::date)
    ORDER BY _24."id") UNION ALL (SELECT 12::int2, _26."id", null::int2
    FROM (SELECT _26."id", _26."doc"
      FROM "public"."items" AS _26
      WHERE (_26."owner_id" = $1::int4)
      OFFSET 0) AS _26
    WHERE (CASE WHEN jsonb_typeof((_26."doc" #> $21::text[])) = 'string'
      AND ((_26."doc" #> $21::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?)?$' THEN ((_26."doc" #> $21::text[]) #>> '{}')::timestamptz END) <= (SELECT $22::timestamptz)
    ORDER BY _26."id") UNION ALL (SELECT 13::int2, _28."id", null::int2
    FROM (SELECT _28."id", _28."doc"
      FROM "public"."items" AS _28
      WHERE (_28."owner_id" = $1::int4)
      OFFSET 0) AS _28
    WHERE ((_28."doc" #> $23::text[])) @> (SELECT $24::jsonb)
    ORDER BY _28."id") UNION ALL (SELECT 14::int2, _30."id", null::int2
    FROM (SELECT _30."id", _30."doc"
      FROM "public"."items" AS _30
      WHERE (_30."owner_id" = $1::int4)
      OFFSET 0) AS _30
    WHERE ((_30."doc" #> $23::text[])) ? (SELECT $25::text)
    ORDER BY _30."id") UNION ALL (SELECT 15::int2, _32."id", null::int2
    FROM (SELECT _32."id", _32."doc"
      FROM "public"."items" AS _32
      WHERE (_32."owner_id" = $1::int4)
      OFFSET 0) AS _32
    WHERE ((CASE jsonb_typeof((_32."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_32."doc" #> $2::text[]))::numeric = trunc(((_32."doc" #> $2::text[]))::numeric) THEN ((_32."doc" #> $2::text[]))::numeric END END) = (SELECT $3::numeric)) IS NOT TRUE
    ORDER BY _32."id") UNION ALL SELECT 16::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "{\"n\"}" of the document
-- $3: "3" of the document
-- $4: "1" of the document
-- $5: "{\"3\",\"8.5\"}" of the document
-- $6: "{\"big\"}" of the document
-- $7: "1e+300" of the document
-- $8: "{\"list\",\"1\",\"x\"}" of the document
-- $9: "{\"2.5\",\"3\"}" of the document
-- $10: "{\"s\"}" of the document
-- $11: "a%" of the document
-- $12: "c$" of the document
-- $13: "x" of the document
-- $14: "ab" of the document
-- $15: "{\"b\"}" of the document
-- $16: "true" of the document
-- $17: "{\"id\"}" of the document
-- $18: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11" of the document
-- $19: "{\"day\"}" of the document
-- $20: "2000-01-01" of the document
-- $21: "{\"at\"}" of the document
-- $22: "2024-02-29T12:00:00Z" of the document
-- $23: "{\"tags\"}" of the document
-- $24: "[\"red\"]" of the document
-- $25: "blue" of the document
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
-- _28 public.items: permissions.toml:315: owner_id = session.user_id
-- _30 public.items: permissions.toml:315: owner_id = session.user_id
-- _32 public.items: permissions.toml:315: owner_id = session.user_id
