-- role: admin
SELECT
  FROM "public"."teams" AS _0
  ORDER BY _0."id";
-- _0 public.teams: every row

-- role: customer
SELECT
  FROM "public"."teams" AS _0
  ORDER BY _0."id";
-- _0 public.teams: permissions.toml:30: true
