-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."users" AS _2
    WHERE _2."id" = $1::int4) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."users" AS _4
    WHERE _4."id" <> $1::int4
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."users" AS _6
    WHERE _6."id" > $1::int4
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."users" AS _8
    WHERE _8."id" >= $1::int4
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."users" AS _10
    WHERE _10."id" < $1::int4
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."users" AS _12
    WHERE _12."id" <= $1::int4
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."users" AS _14
    WHERE _14."id" = ANY ($2::int4[])
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."users" AS _16
    WHERE _16."id" <> ALL ($2::int4[])
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."users" AS _18
    WHERE _18."id" > $3::int4
    AND _18."id" < $4::int4
    AND _18."id" <> $1::int4
    ORDER BY _18."id") UNION ALL SELECT 9::int2, null::int4, _0.c0
  FROM _0;
-- $1: "2" of the document
-- $2: "{\"2\",\"3\",\"99\"}" of the document
-- $3: "1" of the document
-- $4: "4" of the document
-- _2 public.users: every row
-- _4 public.users: every row
-- _6 public.users: every row
-- _8 public.users: every row
-- _10 public.users: every row
-- _12 public.users: every row
-- _14 public.users: every row
-- _16 public.users: every row
-- _18 public.users: every row
