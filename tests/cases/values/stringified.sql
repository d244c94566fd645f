-- role: admin
WITH _0 (c0, c1) AS MATERIALIZED (SELECT (SELECT row(count(*), sum(_3."an_int"), sum(_3."a_bigint"), sum(_3."a_double"), sum(_3."a_real"), max(_3."a_bigint"), max(_3."a_smallint"))
      FROM "public"."specimens" AS _3), (SELECT row(count(*), avg(_4."id"), avg(_4."Total Amount"), sum(_4."Total Amount"))
      FROM "public"."or""ders" AS _4)) (SELECT 0::int2, _2."a_smallint", _2."an_int", _2."a_bigint", _2."a_real", _2."a_double", _2."a_numeric", _2."a_percent", to_json(_2."an_oid")::text, _2."a_money"::text, _2."ints", null::record, null::record
    FROM "public"."specimens" AS _2
    ORDER BY _2."id") UNION ALL SELECT 1::int2, null::int2, null::int4, null::int8, null::float4, null::float8, null::numeric, null::numeric, null::text, null::text, null::int4[], _0.c0, _0.c1
  FROM _0;
-- _3 public.specimens: every row
-- _4 public.or"ders: every row
-- _2 public.specimens: every row
