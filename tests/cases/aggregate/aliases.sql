-- role: admin
SELECT (SELECT row(count(*), count(*), max(_0."id"), max(_0."id"), max(_0."id"), sum(_0."Total Amount"), array(SELECT row(_1."id")
        FROM "public"."or""ders" AS _1
        WHERE _1."id" <= $1::int8
        ORDER BY _1."id"), array(SELECT row(_2."id", _2."Total Amount")
        FROM "public"."or""ders" AS _2
        WHERE _2."id" <= $1::int8
        ORDER BY _2."id"))
    FROM "public"."or""ders" AS _0
    WHERE _0."id" <= $1::int8);
-- $1: "11" of the document
-- _1 public.or"ders: every row
-- _2 public.or"ders: every row
-- _0 public.or"ders: every row
