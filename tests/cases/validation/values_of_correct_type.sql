-- role: admin
SELECT DISTINCT ON (_0."id") _0."id"
  FROM "public"."teams" AS _0
  WHERE _0."id" = ANY ($1::int4[])
  AND _0."name" = $2::text
  ORDER BY _0."id"
  LIMIT 1;
-- $1: "{\"1\"}" of the document
-- $2: "a" of the document
-- _0 public.teams: every row
