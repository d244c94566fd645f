-- role: admin
SELECT array(SELECT row(_0."id", (_0."doc" #> $1::text[]))
    FROM "public"."items" AS _0
    ORDER BY (CASE jsonb_typeof((_0."doc" #> $1::text[])) WHEN 'number' THEN ((_0."doc" #> $1::text[]))::numeric END) DESC NULLS LAST, _0."id"), array(SELECT row(_1."id", (_1."doc" #> $2::text[]))
    FROM "public"."items" AS _1
    ORDER BY (CASE jsonb_typeof((_1."doc" #> $2::text[])) WHEN 'string' THEN (_1."doc" #> $2::text[]) #>> '{}' END), _1."id" DESC
    LIMIT 2), array(SELECT row(_2."id", (_2."doc" #> $3::text[]))
    FROM "public"."items" AS _2
    ORDER BY (CASE WHEN jsonb_typeof((_2."doc" #> $3::text[])) = 'string'
      AND ((_2."doc" #> $3::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' THEN ((_2."doc" #> $3::text[]) #>> '{}')::date END) NULLS FIRST, _2."id");
-- $1: "{\"n\"}" of the document
-- $2: "{\"s\"}" of the document
-- $3: "{\"day\"}" of the document
-- _0 public.items: every row
-- _1 public.items: every row
-- _2 public.items: every row

-- role: customer
SELECT array(SELECT row(_0."id", (_0."doc" #> $1::text[]))
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $2::int4)
    ORDER BY (CASE jsonb_typeof((_0."doc" #> $1::text[])) WHEN 'number' THEN ((_0."doc" #> $1::text[]))::numeric END) DESC NULLS LAST, _0."id"), array(SELECT row(_1."id", (_1."doc" #> $3::text[]))
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $2::int4)
    ORDER BY (CASE jsonb_typeof((_1."doc" #> $3::text[])) WHEN 'string' THEN (_1."doc" #> $3::text[]) #>> '{}' END), _1."id" DESC
    LIMIT 2), array(SELECT row(_2."id", (_2."doc" #> $4::text[]))
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $2::int4)
    ORDER BY (CASE WHEN jsonb_typeof((_2."doc" #> $4::text[])) = 'string'
      AND ((_2."doc" #> $4::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' THEN ((_2."doc" #> $4::text[]) #>> '{}')::date END) NULLS FIRST, _2."id");
-- $1: "{\"n\"}" of the document
-- $2: session value user_id, Int
-- $3: "{\"s\"}" of the document
-- $4: "{\"day\"}" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
