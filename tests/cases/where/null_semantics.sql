-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."users" AS _2
    WHERE _2."nick" = $1::text
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."users" AS _4
    WHERE _4."nick" <> $1::text
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."users" AS _6
    WHERE NOT (((_6."nick" = $1::text)))
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."users" AS _8
    WHERE _8."nick" = ANY ($2::text[])
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."users" AS _10
    WHERE _10."nick" <> ALL ($2::text[])
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."users" AS _12
    WHERE _12."mood" = ANY ($3::text::"public"."mood"[])
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."users" AS _14
    WHERE _14."mood" <> ALL ($4::text::"public"."mood"[])
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."users" AS _16
    WHERE _16."mood" IS NULL
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."users" AS _18
    WHERE _18."mood" IS NOT NULL
    ORDER BY _18."id") UNION ALL SELECT 9::int2, null::int4, _0.c0
  FROM _0;
-- $1: "bob" of the document
-- $2: "{}" of the document
-- $3: "{\"happy\",\"sad\"}" of the document
-- $4: "{\"happy\"}" of the document
-- _2 public.users: every row
-- _4 public.users: every row
-- _6 public.users: every row
-- _8 public.users: every row
-- _10 public.users: every row
-- _12 public.users: every row
-- _14 public.users: every row
-- _16 public.users: every row
-- _18 public.users: every row
