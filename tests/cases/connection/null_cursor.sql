-- role: admin
SELECT _0."id"
  FROM "public"."or""ders" AS _0
  ORDER BY _0."id"
  LIMIT 1;
-- _0 public.or"ders: every row
