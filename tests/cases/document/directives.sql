-- role: admin
SELECT _0."id", _0."name", _0."name", _0."name"
  FROM "public"."users" AS _0
  ORDER BY _0."id"
  LIMIT 1;
-- _0 public.users: every row
