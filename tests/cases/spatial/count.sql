-- role: admin
SELECT (SELECT row(count(*), count(_0."spot"), count(DISTINCT _0."spot"), count(DISTINCT _0."cells"::text), min(_0."id"), max(_0."id"))
    FROM "public"."places" AS _0), array(SELECT DISTINCT ON (_1."spot") row(_1."id")
    FROM "public"."places" AS _1
    ORDER BY _1."spot");
-- _0 public.places: every row
-- _1 public.places: every row
