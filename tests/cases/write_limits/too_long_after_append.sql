-- role: limited
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = CASE WHEN (CASE WHEN ((char_length((_0."data" || $1::jsonb)::text) > 20) IS NOT TRUE) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool THEN _0."data" || $1::jsonb END
    WHERE _0."label" = $3::text RETURNING 1) SELECT ((SELECT count(*)
      FROM _1));
-- $1: $.selectionSet.update_assets.args._append.data of the request, jsonb
-- $2: the word of alarm 1.
-- $3: "saw" of the document
-- _0 public.assets: permissions.toml:739: true
