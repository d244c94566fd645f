-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::jsonb, null::int2
    FROM (SELECT _2."id", _2."doc"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE (CASE jsonb_typeof((_2."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_2."doc" #> $2::text[]))::numeric = trunc(((_2."doc" #> $2::text[]))::numeric) THEN ((_2."doc" #> $2::text[]))::numeric END END) >= (SELECT $3::numeric)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::jsonb, null::int2
    FROM (SELECT _4."id", _4."doc"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE (CASE jsonb_typeof((_4."doc" #> $4::text[])) WHEN 'string' THEN (_4."doc" #> $4::text[]) #>> '{}' END) = (SELECT $5::text)
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::jsonb, null::int2
    FROM (SELECT _6."id", _6."doc"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE (CASE jsonb_typeof((_6."doc" #> $6::text[])) WHEN 'boolean' THEN ((_6."doc" #> $6::text[]))::bool END) = (SELECT $7::bool)
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", (_8."doc" #> $8::text[]), null::int2
    FROM "public"."items" AS _8
    WHERE (_8."owner_id" = $1::int4)
    ORDER BY (CASE jsonb_typeof((_8."doc" #> $9::text[])) WHEN 'number' THEN ((_8."doc" #> $9::text[]))::numeric END) DESC NULLS LAST) UNION ALL SELECT 4::int2, null::int4, null::jsonb, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.items.args.where.doc._path.at of the request, [String!]!, a list
-- $3: $.selectionSet.items.args.where.doc._path._gte of the request, Int
-- $4: $.selectionSet.items.args.where.doc._path.at of the request, [String!]!, a list
-- $5: $.selectionSet.items.args.where.doc._path._eq of the request, String
-- $6: $.selectionSet.items.args.where.doc._path.at of the request, [String!]!, a list
-- $7: $.selectionSet.items.args.where.doc._path._eq of the request, Boolean
-- $8: "{\"n\"}" of the document
-- $9: $.selectionSet.items.args.order_by[0]._path.at of the request, [String!]!, a list
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
