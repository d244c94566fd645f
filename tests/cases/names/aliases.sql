-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _2."name", _3."id" IS NOT NULL, _3."name", (SELECT row(count(*), count(DISTINCT _4."id"), max(_4."id"), max(_4."id"), array(SELECT row(_5."id")
          FROM "public"."or""ders" AS _5
          WHERE _5."user_id" = _2."id"))
      FROM "public"."or""ders" AS _4
      WHERE _4."user_id" = _2."id"), null::int8, null::date, null::int2
    FROM (SELECT _2."id", _2."name", _2."team_id"
      FROM "public"."users" AS _2
      ORDER BY _2."id"
      LIMIT 1) AS _2
    LEFT JOIN "public"."teams" AS _3 ON _3."id" = _2."team_id"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, null::int4, null::text, null::bool, null::text, null::record, _7."id", _7."placed_on", null::int2
    FROM "public"."or""ders" AS _7
    ORDER BY _7."id"
    LIMIT 1) UNION ALL SELECT 2::int2, null::int4, null::text, null::bool, null::text, null::record, null::int8, null::date, _0.c0
  FROM _0;
-- _5 public.or"ders: every row
-- _4 public.or"ders: every row
-- _2 public.users: every row
-- _3 public.teams: every row
-- _7 public.or"ders: every row
