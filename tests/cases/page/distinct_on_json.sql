-- role: admin
SELECT DISTINCT ON (_0."a_json"::text) _0."a_json"
  FROM "public"."specimens" AS _0
  WHERE _0."a_json" IS NOT NULL
  ORDER BY _0."a_json"::text;
-- _0 public.specimens: every row
