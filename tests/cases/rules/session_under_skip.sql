-- role: customer
SELECT _0."id"
  FROM "public"."teams" AS _0
  ORDER BY _0."id";
-- _0 public.teams: permissions.toml:30: true
