-- role: admin
SELECT _0."id", _0."name"
  FROM "public"."teams" AS _0;
-- _0 public.teams: every row
