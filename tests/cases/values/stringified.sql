-- role: admin
SELECT array(SELECT row(_0."a_smallint", _0."an_int", _0."a_bigint", _0."a_real", _0."a_double", _0."a_numeric", _0."a_percent", to_json(_0."an_oid")::text, _0."a_money"::text, _0."ints")
    FROM "public"."specimens" AS _0
    ORDER BY _0."id"), (SELECT row(count(*), sum(_1."an_int"), sum(_1."a_bigint"), sum(_1."a_double"), sum(_1."a_real"), max(_1."a_bigint"), max(_1."a_smallint"))
    FROM "public"."specimens" AS _1), (SELECT row(count(*), avg(_2."id"), avg(_2."Total Amount"), sum(_2."Total Amount"))
    FROM "public"."or""ders" AS _2);
-- _0 public.specimens: every row
-- _1 public.specimens: every row
-- _2 public.or"ders: every row
