-- role: admin
SELECT _0."id"
  FROM "public"."users" AS _0
  ORDER BY _0."id";
-- _0 public.users: every row
