-- role: admin
SELECT (SELECT row(count(*), sum(_0."Total Amount"), avg(_0."id"), min(_0."placed_on"), max(_0."status")::text, variance(_0."Total Amount"), array(SELECT row(_1."id")
        FROM "public"."or""ders" AS _1
        WHERE _1."id" = $1::int8))
    FROM "public"."or""ders" AS _0
    WHERE _0."id" = $1::int8);
-- $1: "0" of the document
-- _1 public.or"ders: every row
-- _0 public.or"ders: every row

-- role: auditor
SELECT (SELECT row(count(*), sum(_0."Total Amount"), avg(_0."id"), min(_0."placed_on"), max(_0."status")::text, variance(_0."Total Amount"), array(SELECT row(_1."id")
        FROM "public"."or""ders" AS _1
        WHERE _1."id" = $1::int8
        LIMIT 3))
    FROM "public"."or""ders" AS _0
    WHERE _0."id" = $1::int8);
-- $1: "0" of the document
-- _1 public.or"ders: permissions.toml:124: true
-- _0 public.or"ders: permissions.toml:124: true
