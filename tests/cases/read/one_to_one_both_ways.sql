-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _3."user_id" IS NOT NULL, _3."number", null::int2
    FROM "public"."users" AS _2
    LEFT JOIN "public"."passports" AS _3 ON _3."user_id" = _2."id"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _6."id", _6."id" IS NOT NULL, _5."number", null::int2
    FROM "public"."passports" AS _5
    LEFT JOIN "public"."users" AS _6 ON _6."id" = _5."user_id"
    ORDER BY _5."number") UNION ALL SELECT 2::int2, null::int4, null::bool, null::text, _0.c0
  FROM _0;
-- _2 public.users: every row
-- _3 public.passports: every row
-- _5 public.passports: every row
-- _6 public.users: every row
