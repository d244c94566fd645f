-- role: owner
WITH _3 AS (INSERT INTO "public"."assets" AS _2 ("owner_id", "data") SELECT _0."owner_id", _0."data"
    FROM unnest($1::int4[], $2::jsonb[]) AS _0("owner_id", "data") RETURNING _2."data") SELECT array(SELECT row(_4."data")
    FROM _3 AS _4);
-- $1: owner_id of the rows $.selectionSet.insert_assets.args.objects of the request, [Int]
-- $2: data of the rows $.selectionSet.insert_assets.args.objects of the request, [jsonb]
-- _4 public.assets: permissions.toml:613: true
