-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _1 (c0, c1) AS MATERIALIZED (SELECT _3."id" IS NOT NULL, _2."id"
    FROM (SELECT _2."id", _2."team_id"
      FROM "public"."users" AS _2
      ORDER BY _2."id"
      LIMIT 2) AS _2
    LEFT JOIN "public"."teams" AS _3 ON _3."id" = _2."team_id"
    ORDER BY _2."id") (SELECT 0::int2, _5."user_id", null::bool, null::int2
    FROM "public"."or""ders" AS _5
    WHERE _5."user_id" = ANY (array(SELECT _1.c1
        FROM _1))
    ORDER BY _5."id") UNION ALL SELECT 1::int2, _1.c1, _1.c0, null::int2
  FROM _1 UNION ALL (SELECT 2::int2, null::int4, null::bool, null::int2
    FROM "public"."teams" AS _8
    ORDER BY _8."id") UNION ALL SELECT 3::int2, null::int4, null::bool, _0.c0
  FROM _0;
-- _2 public.users: every row
-- _3 public.teams: every row
-- _5 public.or"ders: every row
-- _8 public.teams: every row
