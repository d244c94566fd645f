-- role: admin
WITH _0 (c0, c1) AS MATERIALIZED (SELECT (SELECT row(count(*))
      FROM "public"."teams" AS _7), (SELECT row(count(*))
      FROM "public"."teams" AS _8)) (SELECT 0::int2, _2."id", null::record, null::record
    FROM "public"."users" AS _2
    ORDER BY _2."name" DESC, _2."id" DESC) UNION ALL (SELECT 1::int2, _4."id", null::record, null::record
    FROM "public"."users" AS _4
    ORDER BY _4."name" DESC, _4."id" DESC) UNION ALL (SELECT 2::int2, _6."id", null::record, null::record
    FROM "public"."users" AS _6
    ORDER BY _6."mood", _6."name", _6."id" DESC) UNION ALL (SELECT 3::int2, _10."id", null::record, null::record
    FROM "public"."users" AS _10
    ORDER BY _10."id" DESC) UNION ALL (SELECT 4::int2, _12."id", null::record, null::record
    FROM "public"."users" AS _12
    ORDER BY _12."id" DESC) UNION ALL SELECT 5::int2, null::int4, _0.c0, _0.c1
  FROM _0;
-- _7 public.teams: every row
-- _8 public.teams: every row
-- _2 public.users: every row
-- _4 public.users: every row
-- _6 public.users: every row
-- _10 public.users: every row
-- _12 public.users: every row
