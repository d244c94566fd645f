-- role: admin
SELECT (SELECT row(count(DISTINCT _0."a_json"::text), count(DISTINCT (_0."a_json"::text, _0."a_point"::text)), count(DISTINCT _0."a_citext"))
    FROM "public"."specimens" AS _0);
-- _0 public.specimens: every row
