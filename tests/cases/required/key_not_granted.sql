-- role: auditor
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."passports" AS _0
          WHERE (_0."expires" IS NOT NULL)
          AND _0."number" = $1::text)) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool) SELECT null
  FROM _1
  WHERE NOT _1.c0 UNION ALL (SELECT _2."expires"
    FROM "public"."passports" AS _2
    WHERE (_2."expires" IS NOT NULL)
    LIMIT 3);
-- $1: $.variables.passport of the request, String!
-- $2: the word of alarm 1.
-- _0 public.passports: permissions.toml:63: expires IS NOT NULL
-- _2 public.passports: permissions.toml:63: expires IS NOT NULL
