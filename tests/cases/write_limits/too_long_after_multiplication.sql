-- role: limited
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "amount" = CASE WHEN (CASE WHEN ((char_length((_0."amount" * $1::numeric)::text) > 20) IS NOT TRUE) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool THEN _0."amount" * $1::numeric END
    WHERE _0."label" = $3::text RETURNING 1) SELECT ((SELECT count(*)
      FROM _1));
-- $1: "12345678901234567890" of the document
-- $2: the word of alarm 1.
-- $3: "saw" of the document
-- _0 public.assets: permissions.toml:739: true
