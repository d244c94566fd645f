-- role: limited
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = CASE WHEN (CASE WHEN ((char_length((_0."data" || $1::jsonb)::text) > 20) IS NOT TRUE) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool THEN _0."data" || $1::jsonb END, "tags" = CASE WHEN (CASE WHEN ((cardinality(array_append(_0."tags", $3::text)) > 2) IS NOT TRUE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool THEN array_append(_0."tags", $3::text) END, "amount" = CASE WHEN (CASE WHEN ((char_length((_0."amount" + $5::numeric)::text) > 20) IS NOT TRUE) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool THEN _0."amount" + $5::numeric END
    WHERE _0."owner_id" = $7::int4
    AND _0."label" IS NULL RETURNING _0."amount", _0."tags", _0."data") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."data", _2."tags", _2."amount")
    FROM _1 AS _2);
-- $1: $.selectionSet.update_assets.args._append.data of the request, jsonb
-- $2: the word of alarm 1.
-- $3: "new" of the document
-- $4: the word of alarm 2.
-- $5: "1" of the document
-- $6: the word of alarm 3.
-- $7: "1" of the document
-- _0 public.assets: permissions.toml:739: true
-- _2 public.assets: permissions.toml:737: true
