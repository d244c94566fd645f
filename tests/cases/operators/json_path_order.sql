-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", (_2."doc" #> $1::text[]), null::int2
    FROM "public"."items" AS _2
    ORDER BY (CASE jsonb_typeof((_2."doc" #> $1::text[])) WHEN 'number' THEN ((_2."doc" #> $1::text[]))::numeric END) DESC NULLS LAST, _2."id") UNION ALL (SELECT 1::int2, _4."id", (_4."doc" #> $2::text[]), null::int2
    FROM "public"."items" AS _4
    ORDER BY (CASE jsonb_typeof((_4."doc" #> $2::text[])) WHEN 'string' THEN (_4."doc" #> $2::text[]) #>> '{}' END), _4."id" DESC
    LIMIT 2) UNION ALL (SELECT 2::int2, _6."id", (_6."doc" #> $3::text[]), null::int2
    FROM "public"."items" AS _6
    ORDER BY (CASE WHEN jsonb_typeof((_6."doc" #> $3::text[])) = 'string'
      AND ((_6."doc" #> $3::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' THEN ((_6."doc" #> $3::text[]) #>> '{}')::date END) NULLS FIRST, _6."id") UNION ALL SELECT 3::int2, null::int4, null::jsonb, _0.c0
  FROM _0;
-- $1: "{\"n\"}" of the document
-- $2: "{\"s\"}" of the document
-- $3: "{\"day\"}" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", (_2."doc" #> $1::text[]), null::int2
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $2::int4)
    ORDER BY (CASE jsonb_typeof((_2."doc" #> $1::text[])) WHEN 'number' THEN ((_2."doc" #> $1::text[]))::numeric END) DESC NULLS LAST, _2."id") UNION ALL (SELECT 1::int2, _4."id", (_4."doc" #> $3::text[]), null::int2
    FROM "public"."items" AS _4
    WHERE (_4."owner_id" = $2::int4)
    ORDER BY (CASE jsonb_typeof((_4."doc" #> $3::text[])) WHEN 'string' THEN (_4."doc" #> $3::text[]) #>> '{}' END), _4."id" DESC
    LIMIT 2) UNION ALL (SELECT 2::int2, _6."id", (_6."doc" #> $4::text[]), null::int2
    FROM "public"."items" AS _6
    WHERE (_6."owner_id" = $2::int4)
    ORDER BY (CASE WHEN jsonb_typeof((_6."doc" #> $4::text[])) = 'string'
      AND ((_6."doc" #> $4::text[]) #>> '{}') ~ '^(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$' THEN ((_6."doc" #> $4::text[]) #>> '{}')::date END) NULLS FIRST, _6."id") UNION ALL SELECT 3::int2, null::int4, null::jsonb, _0.c0
  FROM _0;
-- $1: "{\"n\"}" of the document
-- $2: session value user_id, Int
-- $3: "{\"s\"}" of the document
-- $4: "{\"day\"}" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
