-- role: admin
SELECT _0."id"
  FROM "public"."teams" AS _0
  ORDER BY _0."id";
-- _0 public.teams: every row
