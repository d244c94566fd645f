-- role: admin
SELECT _0."id"
  FROM "public"."teams" AS _0;
-- _0 public.teams: every row
