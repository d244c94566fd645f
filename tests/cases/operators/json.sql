-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE _0."doc" @> $1::jsonb
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE _1."doc" @> $2::jsonb
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE _2."doc" @> $3::jsonb
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE _3."doc" <@ $4::jsonb
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE _4."doc" ? $5::text
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE _5."doc" ?| $6::text[]
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE _6."doc" ?& $7::text[]
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE _7."doc" ?| $8::text[]
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE _8."doc" ?& $8::text[]
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    WHERE _9."doc"::text ~~* $9::text
    AND _9."doc"::text !~~ $10::text
    ORDER BY _9."id");
-- $1: "{\"s\":\"abc\"}" of the document
-- $2: "{\"tags\":[\"red\"]}" of the document
-- $3: $.selectionSet.items.args.where.doc._contains of the request, jsonb
-- $4: "\"text\"" of the document
-- $5: $.selectionSet.items.args.where.doc._has_key of the request, String
-- $6: "{\"big\",\"text\"}" of the document
-- $7: "{\"n\",\"list\"}" of the document
-- $8: "{}" of the document
-- $9: "%ABC%" of the document
-- $10: "%zzz%" of the document
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
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND _0."doc" @> $2::jsonb
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND _1."doc" @> $3::jsonb
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."doc" @> $4::jsonb
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."doc" <@ $5::jsonb
    ORDER BY _3."id"), array(SELECT row(_4."id")
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."doc" ? $6::text
    ORDER BY _4."id"), array(SELECT row(_5."id")
    FROM "public"."items" AS _5
    WHERE (_5."owner_id" = $1::int4)
    AND _5."doc" ?| $7::text[]
    ORDER BY _5."id"), array(SELECT row(_6."id")
    FROM "public"."items" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."doc" ?& $8::text[]
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."items" AS _7
    WHERE (_7."owner_id" = $1::int4)
    AND _7."doc" ?| $9::text[]
    ORDER BY _7."id"), array(SELECT row(_8."id")
    FROM "public"."items" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."doc" ?& $9::text[]
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."items" AS _9
    WHERE (_9."owner_id" = $1::int4)
    AND _9."doc"::text ~~* $10::text
    AND _9."doc"::text !~~ $11::text
    ORDER BY _9."id");
-- $1: session value user_id, Int
-- $2: "{\"s\":\"abc\"}" of the document
-- $3: "{\"tags\":[\"red\"]}" of the document
-- $4: $.selectionSet.items.args.where.doc._contains of the request, jsonb
-- $5: "\"text\"" of the document
-- $6: $.selectionSet.items.args.where.doc._has_key of the request, String
-- $7: "{\"big\",\"text\"}" of the document
-- $8: "{\"n\",\"list\"}" of the document
-- $9: "{}" of the document
-- $10: "%ABC%" of the document
-- $11: "%zzz%" of the document
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
