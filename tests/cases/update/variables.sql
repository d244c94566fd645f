-- role: writer
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "amount" = _0."amount" + $1::numeric, "label" = $2::text, "count_int" = $3::int4, "tags" = $4::text[], "data" = $5::jsonb
    WHERE (_0."owner_id" = $6::int4)
    AND _0."label" = $7::text RETURNING _0."owner_id", _0."label", _0."count_int", _0."amount", _0."tags", _0."data", (CASE WHEN (_0."owner_id" = $6::int4
        AND _0."label" IS DISTINCT
        FROM 'bad'
        AND coalesce(_0."count_int", 0) < 1000000) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool AS "_judged") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."label", _2."count_int", _2."tags", _2."data", _2."amount")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $6::int4));
-- $1: $.selectionSet.update_assets.args._inc.amount of the request, numeric
-- $2: $.selectionSet.update_assets.args._set.label of the request, String, or null
-- $3: $.selectionSet.update_assets.args._set.count_int of the request, Int, or null
-- $4: $.selectionSet.update_assets.args._set.tags of the request, [String!], or null
-- $5: $.selectionSet.update_assets.args._set.data of the request, jsonb, or null
-- $6: session value user_id, Int
-- $7: $.selectionSet.update_assets.args.where.label._eq of the request, String
-- $8: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
