-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_0."doc" #> $2::text[])) WHEN 'number' THEN CASE WHEN ((_0."doc" #> $2::text[]))::numeric = trunc(((_0."doc" #> $2::text[]))::numeric) THEN ((_0."doc" #> $2::text[]))::numeric END END) >= $3::numeric
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."items" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_1."doc" #> $4::text[])) WHEN 'string' THEN (_1."doc" #> $4::text[]) #>> '{}' END) = $5::text
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND (CASE jsonb_typeof((_2."doc" #> $6::text[])) WHEN 'boolean' THEN ((_2."doc" #> $6::text[]))::bool END) = $7::bool
    ORDER BY _2."id"), array(SELECT row(_3."id", (_3."doc" #> $8::text[]))
    FROM "public"."items" AS _3
    WHERE (_3."owner_id" = $1::int4)
    ORDER BY (CASE jsonb_typeof((_3."doc" #> $9::text[])) WHEN 'number' THEN ((_3."doc" #> $9::text[]))::numeric END) DESC NULLS LAST);
-- $1: session value user_id, Int
-- $2: $.selectionSet.items.args.where.doc._path.at of the request, [String!]!, a list
-- $3: $.selectionSet.items.args.where.doc._path._gte of the request, Int
-- $4: $.selectionSet.items.args.where.doc._path.at of the request, [String!]!, a list
-- $5: $.selectionSet.items.args.where.doc._path._eq of the request, String
-- $6: $.selectionSet.items.args.where.doc._path.at of the request, [String!]!, a list
-- $7: $.selectionSet.items.args.where.doc._path._eq of the request, Boolean
-- $8: "{\"n\"}" of the document
-- $9: $.selectionSet.items.args.order_by[0]._path.at of the request, [String!]!, a list
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
-- _1 public.items: permissions.toml:315: owner_id = session.user_id
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _3 public.items: permissions.toml:315: owner_id = session.user_id
