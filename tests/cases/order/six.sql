-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _2."score", null::int2
    FROM "public"."users" AS _2
    ORDER BY _2."score", _2."id") UNION ALL (SELECT 1::int2, _4."id", null::float8, null::int2
    FROM "public"."users" AS _4
    ORDER BY _4."score" NULLS FIRST, _4."id") UNION ALL (SELECT 2::int2, _6."id", null::float8, null::int2
    FROM "public"."users" AS _6
    ORDER BY _6."score", _6."id") UNION ALL (SELECT 3::int2, _8."id", null::float8, null::int2
    FROM "public"."users" AS _8
    ORDER BY _8."score" DESC, _8."id") UNION ALL (SELECT 4::int2, _10."id", null::float8, null::int2
    FROM "public"."users" AS _10
    ORDER BY _10."score" DESC, _10."id") UNION ALL (SELECT 5::int2, _12."id", null::float8, null::int2
    FROM "public"."users" AS _12
    ORDER BY _12."score" DESC NULLS LAST, _12."id") UNION ALL SELECT 6::int2, null::int4, null::float8, _0.c0
  FROM _0;
-- _2 public.users: every row
-- _4 public.users: every row
-- _6 public.users: every row
-- _8 public.users: every row
-- _10 public.users: every row
-- _12 public.users: every row
