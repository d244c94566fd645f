-- role: limited
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "tags" = CASE WHEN (CASE WHEN ((cardinality(array_append(_0."tags", $1::text)) > 2) IS NOT TRUE) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool THEN array_append(_0."tags", $1::text) END
    WHERE _0."label" = $3::text RETURNING 1) SELECT ((SELECT count(*)
      FROM _1));
-- $1: "third" of the document
-- $2: the word of alarm 1.
-- $3: "saw" of the document
-- _0 public.assets: permissions.toml:739: true
