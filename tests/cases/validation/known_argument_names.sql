-- role: admin
SELECT _0."id"
  FROM "public"."teams" AS _0
  LIMIT 1;
-- _0 public.teams: every row
