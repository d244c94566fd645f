-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."users" AS _2
    WHERE _2."nick" = $1::text
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."users" AS _4
    WHERE _4."nick" = ANY ($2::text[])
    ORDER BY _4."id") UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: "BOB" of the document
-- $2: "{\"ada\",\"\"}" of the document
-- _2 public.users: every row
-- _4 public.users: every row
