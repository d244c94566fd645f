-- role: owner
SELECT _0."id", _0."status"::text
  FROM "public"."or""ders" AS _0
  WHERE _0."status" = $1::text::"public"."Order Status"
  ORDER BY _0."id";
-- $1: "it's paid" of the document
-- _0 public.or"ders: typed_enums.toml:20: true
