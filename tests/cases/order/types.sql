-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."specimens" AS _2
    ORDER BY _2."a_jsonb", _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."specimens" AS _4
    ORDER BY _4."a_bytea" DESC, _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."specimens" AS _6
    ORDER BY _6."a_mood" DESC NULLS LAST, _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."specimens" AS _8
    ORDER BY _8."texts" NULLS FIRST, _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."specimens" AS _10
    ORDER BY _10."a_span" DESC NULLS LAST, _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."specimens" AS _12
    ORDER BY _12."a_boolean", _12."an_inet", _12."id") UNION ALL SELECT 6::int2, null::int4, _0.c0
  FROM _0;
-- _2 public.specimens: every row
-- _4 public.specimens: every row
-- _6 public.specimens: every row
-- _8 public.specimens: every row
-- _10 public.specimens: every row
-- _12 public.specimens: every row
