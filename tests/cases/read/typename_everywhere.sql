-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _1 (c0, c1, c2, c3) AS MATERIALIZED (SELECT _3."id" IS NOT NULL, _3."id", _6."user_id" IS NOT NULL, (SELECT row(count(*), max(_7."id"), array(SELECT row()
          FROM "public"."or""ders" AS _8
          WHERE _8."user_id" = _2."id"))
      FROM "public"."or""ders" AS _7
      WHERE _7."user_id" = _2."id")
    FROM (SELECT _2."id", _2."team_id"
      FROM "public"."users" AS _2
      ORDER BY _2."id"
      LIMIT 2) AS _2
    LEFT JOIN "public"."teams" AS _3 ON _3."id" = _2."team_id"
    LEFT JOIN "public"."passports" AS _6 ON _6."user_id" = _2."id"
    ORDER BY _2."id") (SELECT 0::int2, _5."team_id", null::bool, null::bool, null::record, null::int2
    FROM "public"."users" AS _5
    WHERE _5."team_id" = ANY (array(SELECT _1.c1
        FROM _1))) UNION ALL SELECT 1::int2, _1.c1, _1.c0, _1.c2, _1.c3, null::int2
  FROM _1 UNION ALL SELECT 2::int2, null::int4, null::bool, null::bool, null::record, _0.c0
  FROM _0;
-- _8 public.or"ders: every row
-- _7 public.or"ders: every row
-- _2 public.users: every row
-- _3 public.teams: every row
-- _6 public.passports: every row
-- _5 public.users: every row
