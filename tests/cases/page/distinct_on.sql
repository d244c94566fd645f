-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*))
      FROM (SELECT DISTINCT ON (_9."status") _9."status"
        FROM "public"."or""ders" AS _9
        ORDER BY _9."status") AS _9)) (SELECT DISTINCT ON (_2."status") 0::int2, _2."id", _2."status"::text, null::date, null::record
    FROM "public"."or""ders" AS _2
    ORDER BY _2."status", _2."id" DESC) UNION ALL (SELECT DISTINCT ON (_4."status", _4."placed_on") 1::int2, _4."id", null::text, null::date, null::record
    FROM "public"."or""ders" AS _4
    ORDER BY _4."placed_on", _4."status", _4."id") UNION ALL (SELECT DISTINCT ON (_6."status") 2::int2, null::int8, _6."status"::text, null::date, null::record
    FROM "public"."or""ders" AS _6
    ORDER BY _6."status") UNION ALL (SELECT DISTINCT ON (_8."placed_on") 3::int2, _8."id", null::text, _8."placed_on", null::record
    FROM "public"."or""ders" AS _8
    ORDER BY _8."placed_on" DESC, _8."id"
    LIMIT 2
    OFFSET 1) UNION ALL (SELECT 4::int2, _11."id", null::text, null::date, null::record
    FROM "public"."or""ders" AS _11
    ORDER BY _11."id"
    LIMIT 1) UNION ALL SELECT 5::int2, null::int8, null::text, null::date, _0.c0
  FROM _0;
-- _9 public.or"ders: every row
-- _2 public.or"ders: every row
-- _4 public.or"ders: every row
-- _6 public.or"ders: every row
-- _8 public.or"ders: every row
-- _11 public.or"ders: every row

-- role: auditor
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*))
      FROM (SELECT DISTINCT ON (_9."status") _9."status"
        FROM "public"."or""ders" AS _9
        ORDER BY _9."status") AS _9)) (SELECT DISTINCT ON (_2."status") 0::int2, _2."id", _2."status"::text, null::date, null::record
    FROM "public"."or""ders" AS _2
    ORDER BY _2."status", _2."id" DESC
    LIMIT 3) UNION ALL (SELECT DISTINCT ON (_4."status", _4."placed_on") 1::int2, _4."id", null::text, null::date, null::record
    FROM "public"."or""ders" AS _4
    ORDER BY _4."placed_on", _4."status", _4."id"
    LIMIT 3) UNION ALL (SELECT DISTINCT ON (_6."status") 2::int2, null::int8, _6."status"::text, null::date, null::record
    FROM "public"."or""ders" AS _6
    ORDER BY _6."status"
    LIMIT 3) UNION ALL (SELECT DISTINCT ON (_8."placed_on") 3::int2, _8."id", null::text, _8."placed_on", null::record
    FROM "public"."or""ders" AS _8
    ORDER BY _8."placed_on" DESC, _8."id"
    LIMIT 2
    OFFSET 1) UNION ALL (SELECT 4::int2, _11."id", null::text, null::date, null::record
    FROM "public"."or""ders" AS _11
    ORDER BY _11."id"
    LIMIT 1) UNION ALL SELECT 5::int2, null::int8, null::text, null::date, _0.c0
  FROM _0;
-- _9 public.or"ders: permissions.toml:124: true
-- _2 public.or"ders: permissions.toml:124: true
-- _4 public.or"ders: permissions.toml:124: true
-- _6 public.or"ders: permissions.toml:124: true
-- _8 public.or"ders: permissions.toml:124: true
-- _11 public.or"ders: permissions.toml:124: true
