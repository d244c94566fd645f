-- role: owner
SELECT _0."id", _0."status"::text
  FROM "public"."or""ders" AS _0
  WHERE _0."status" = 'it''s paid'::"public"."Order Status"
  ORDER BY _0."id";
-- _0 public.or"ders: typed_enums.toml:20: true
