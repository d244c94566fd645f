-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (CASE jsonb_typeof((_0."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_0."doc" #> $1::text[]))::numeric = trunc(((_0."doc" #> $1::text[]))::numeric) THEN ((_0."doc" #> $1::text[]))::numeric END END) >= $2::numeric
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (CASE jsonb_typeof((_1."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_1."doc" #> $1::text[]))::numeric = trunc(((_1."doc" #> $1::text[]))::numeric) THEN ((_1."doc" #> $1::text[]))::numeric END END) > $3::numeric
    AND (CASE jsonb_typeof((_1."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_1."doc" #> $1::text[]))::numeric = trunc(((_1."doc" #> $1::text[]))::numeric) THEN ((_1."doc" #> $1::text[]))::numeric END END) < $2::numeric
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (CASE jsonb_typeof((_2."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_2."doc" #> $1::text[]))::numeric = trunc(((_2."doc" #> $1::text[]))::numeric) THEN ((_2."doc" #> $1::text[]))::numeric END END) IS NULL
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE ((CASE jsonb_typeof((_3."doc" #> $1::text[])) WHEN 'number' THEN ((_3."doc" #> $1::text[]))::numeric END) >= ($4::numeric[])[1]
      AND (CASE jsonb_typeof((_3."doc" #> $1::text[])) WHEN 'number' THEN ((_3."doc" #> $1::text[]))::numeric END) <= ($4::numeric[])[2])
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (CASE jsonb_typeof((_4."doc" #> $5::text[])) WHEN 'number' THEN ((_4."doc" #> $5::text[]))::numeric END) > $6::numeric
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE (CASE jsonb_typeof((_5."doc" #> $7::text[])) WHEN 'number' THEN ((_5."doc" #> $7::text[]))::numeric END) = ANY ($8::numeric[])
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE (CASE jsonb_typeof((_6."doc" #> $9::text[])) WHEN 'string' THEN (_6."doc" #> $9::text[]) #>> '{}' END) ~~ $10::text
    AND (CASE jsonb_typeof((_6."doc" #> $9::text[])) WHEN 'string' THEN (_6."doc" #> $9::text[]) #>> '{}' END) ~ $11::text
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE NOT (((((CASE jsonb_typeof((_7."doc" #> $9::text[])) WHEN 'string' THEN (_7."doc" #> $9::text[]) #>> '{}' END) = $12::text))))
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE (CASE jsonb_typeof((_8."doc" #> $9::text[])) WHEN 'string' THEN (_8."doc" #> $9::text[]) #>> '{}' END) ^@ $13::text
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    WHERE (CASE jsonb_typeof((_9."doc" #> $14::text[])) WHEN 'boolean' THEN ((_9."doc" #> $14::text[]))::bool END) = $15::bool
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."items" AS _10
    WHERE (CASE WHEN jsonb_typeof((_10."doc" #> $16::text[])) = 'string'
      AND ((_10."doc" #> $16::text[]) #>> '{}') ~ '^[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$' THEN ((_10."doc" #> $16::text[]) #>> '{}')::uuid END) = $17::uuid
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."items" AS _11
    WHERE (CASE WHEN jsonb_typeof((_11."doc" #> $18::text[])) = 'string'
      AND ((_11."doc" #> $18::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' THEN ((_11."doc" #> $18::text[]) #>> '{}')::date END) > $19::date
    ORDER BY _11."id"), array(SELECT row(_12."id")
    FROM "public"."items" AS _12
    WHERE (CASE WHEN jsonb_typeof((_12."doc" #> $20::text[])) = 'string'
      AND ((_12."doc" #> $20::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?)?$' THEN ((_12."doc" #> $20::text[]) #>> '{}')::timestamptz END) <= $21::timestamptz
    ORDER BY _12."id"), array(SELECT row(_13."id")
    FROM "public"."items" AS _13
    WHERE ((_13."doc" #> $22::text[])) @> $23::jsonb
    ORDER BY _13."id"), array(SELECT row(_14."id")
    FROM "public"."items" AS _14
    WHERE ((_14."doc" #> $22::text[])) ? $24::text
    ORDER BY _14."id"), array(SELECT row(_15."id")
    FROM "public"."items" AS _15
    WHERE ((CASE jsonb_typeof((_15."doc" #> $1::text[])) WHEN 'number' THEN CASE WHEN ((_15."doc" #> $1::text[]))::numeric = trunc(((_15."doc" #> $1::text[]))::numeric) THEN ((_15."doc" #> $1::text[]))::numeric END END) = $2::numeric) IS NOT TRUE
    ORDER BY _15."id");
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
-- _13 public.items: every row
-- _14 public.items: every row
-- _15 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_0."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_0."doc" #> $2::text[]))::numeric = trunc(((_0."doc" #> $2::text[]))::numeric) THEN ((_0."doc" #> $2::text[]))::numeric END END) >= $3::numeric
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_1."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_1."doc" #> $2::text[]))::numeric = trunc(((_1."doc" #> $2::text[]))::numeric) THEN ((_1."doc" #> $2::text[]))::numeric END END) > $4::numeric
    AND (CASE jsonb_typeof((_1."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_1."doc" #> $2::text[]))::numeric = trunc(((_1."doc" #> $2::text[]))::numeric) THEN ((_1."doc" #> $2::text[]))::numeric END END) < $3::numeric
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_2."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_2."doc" #> $2::text[]))::numeric = trunc(((_2."doc" #> $2::text[]))::numeric) THEN ((_2."doc" #> $2::text[]))::numeric END END) IS NULL
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND ((CASE jsonb_typeof((_3."doc" #> $2::text[])) WHEN 'number' THEN ((_3."doc" #> $2::text[]))::numeric END) >= ($5::numeric[])[1]
      AND (CASE jsonb_typeof((_3."doc" #> $2::text[])) WHEN 'number' THEN ((_3."doc" #> $2::text[]))::numeric END) <= ($5::numeric[])[2])
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_4."doc" #> $6::text[])) WHEN 'number' THEN ((_4."doc" #> $6::text[]))::numeric END) > $7::numeric
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE (_5."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_5."doc" #> $8::text[])) WHEN 'number' THEN ((_5."doc" #> $8::text[]))::numeric END) = ANY ($9::numeric[])
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM (SELECT _6."id", _6."doc"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      AND (CASE jsonb_typeof((_6."doc" #> $10::text[])) WHEN 'string' THEN (_6."doc" #> $10::text[]) #>> '{}' END) ~~ $11::text
      OFFSET 0) AS _6
    WHERE (CASE jsonb_typeof((_6."doc" #> $10::text[])) WHEN 'string' THEN (_6."doc" #> $10::text[]) #>> '{}' END) ~ (SELECT $12::text)
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE (_7."owner_id" = $1::int4)
    AND NOT (((((CASE jsonb_typeof((_7."doc" #> $10::text[])) WHEN 'string' THEN (_7."doc" #> $10::text[]) #>> '{}' END) = $13::text))))
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_8."doc" #> $10::text[])) WHEN 'string' THEN (_8."doc" #> $10::text[]) #>> '{}' END) ^@ $14::text
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    WHERE (_9."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_9."doc" #> $15::text[])) WHEN 'boolean' THEN ((_9."doc" #> $15::text[]))::bool END) = $16::bool
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."items" AS _10
    WHERE (_10."owner_id" = $1::int4)
    AND (CASE WHEN jsonb_typeof((_10."doc" #> $17::text[])) = 'string'
      AND ((_10."doc" #> $17::text[]) #>> '{}') ~ '^[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$' THEN ((_10."doc" #> $17::text[]) #>> '{}')::uuid END) = $18::uuid
    ORDER BY _10."id"), array(SELECT row(_11."id")
    FROM "public"."items" AS _11
    WHERE (_11."owner_id" = $1::int4)
    AND (CASE WHEN jsonb_typeof((_11."doc" #> $19::text[])) = 'string'
      AND ((_11."doc" #> $19::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' THEN ((_11."doc" #> $19::text[]) #>> '{}')::date END) > $20::date
    ORDER BY _11."id"), array(SELECT row(_12."id")
    FROM "public"."items" AS _12
    WHERE (_12."owner_id" = $1::int4)
    AND (CASE WHEN jsonb_typeof((_12."doc" #> $21::text[])) = 'string'
      AND ((_12."doc" #> $21::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?)?$' THEN ((_12."doc" #> $21::text[]) #>> '{}')::timestamptz END) <= $22::timestamptz
    ORDER BY _12."id"), array(SELECT row(_13."id")
    FROM "public"."items" AS _13
    WHERE (_13."owner_id" = $1::int4)
    AND ((_13."doc" #> $23::text[])) @> $24::jsonb
    ORDER BY _13."id"), array(SELECT row(_14."id")
    FROM "public"."items" AS _14
    WHERE (_14."owner_id" = $1::int4)
    AND ((_14."doc" #> $23::text[])) ? $25::text
    ORDER BY _14."id"), array(SELECT row(_15."id")
    FROM "public"."items" AS _15
    WHERE (_15."owner_id" = $1::int4)
    AND ((CASE jsonb_typeof((_15."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_15."doc" #> $2::text[]))::numeric = trunc(((_15."doc" #> $2::text[]))::numeric) THEN ((_15."doc" #> $2::text[]))::numeric END END) = $3::numeric) IS NOT TRUE
    ORDER BY _15."id");
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
-- _13 public.items: permissions.toml:315: owner_id = session.user_id
-- _14 public.items: permissions.toml:315: owner_id = session.user_id
-- _15 public.items: permissions.toml:315: owner_id = session.user_id
