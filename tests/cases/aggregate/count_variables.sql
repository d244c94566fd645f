-- role: admin
SELECT (SELECT row(count(DISTINCT (_0."status", _0."Total Amount")))
    FROM "public"."or""ders" AS _0);
-- _0 public.or"ders: every row
