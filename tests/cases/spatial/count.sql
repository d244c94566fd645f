-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*), count(_1."spot"), count(DISTINCT _1."spot"), count(DISTINCT _1."cells"::text), min(_1."id"), max(_1."id"))
      FROM "public"."places" AS _1)) (SELECT DISTINCT ON (_3."spot") 0::int2, _3."id", null::record
    FROM "public"."places" AS _3
    ORDER BY _3."spot") UNION ALL SELECT 1::int2, null::int4, _0.c0
  FROM _0;
-- _1 public.places: every row
-- _3 public.places: every row
