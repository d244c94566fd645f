-- role: admin
SELECT (SELECT row(count(*), count(*), count(_0."Total Amount"), count(DISTINCT _0."status"), count(DISTINCT (_0."status", _0."placed_on")), count((_0."Total Amount", _0."status")), count(*), count(_0."status"))
    FROM "public"."or""ders" AS _0);
-- _0 public.or"ders: every row

-- role: auditor
SELECT (SELECT row(count(*), count(*), count(_0."Total Amount"), count(DISTINCT _0."status"), count(DISTINCT (_0."status", _0."placed_on")), count((_0."Total Amount", _0."status")), count(*), count(_0."status"))
    FROM "public"."or""ders" AS _0);
-- _0 public.or"ders: permissions.toml:124: true
