-- role: admin
SELECT array(SELECT DISTINCT ON (_0."status") row(_0."id", _0."status"::text)
    FROM "public"."or""ders" AS _0
    ORDER BY _0."status", _0."id" DESC), array(SELECT DISTINCT ON (_1."status", _1."placed_on") row(_1."id")
    FROM "public"."or""ders" AS _1
    ORDER BY _1."placed_on", _1."status", _1."id"), array(SELECT DISTINCT ON (_2."status") row(_2."status"::text)
    FROM "public"."or""ders" AS _2
    ORDER BY _2."status"), array(SELECT DISTINCT ON (_3."placed_on") row(_3."id", _3."placed_on")
    FROM "public"."or""ders" AS _3
    ORDER BY _3."placed_on" DESC, _3."id"
    LIMIT 2
    OFFSET 1), (SELECT row(count(*))
    FROM (SELECT DISTINCT ON (_4."status") _4."status"
      FROM "public"."or""ders" AS _4
      ORDER BY _4."status") AS _4), array(SELECT row(_5."id")
    FROM "public"."or""ders" AS _5
    ORDER BY _5."id"
    LIMIT 1);
-- _0 public.or"ders: every row
-- _1 public.or"ders: every row
-- _2 public.or"ders: every row
-- _3 public.or"ders: every row
-- _4 public.or"ders: every row
-- _5 public.or"ders: every row

-- role: auditor
SELECT array(SELECT DISTINCT ON (_0."status") row(_0."id", _0."status"::text)
    FROM "public"."or""ders" AS _0
    ORDER BY _0."status", _0."id" DESC
    LIMIT 3), array(SELECT DISTINCT ON (_1."status", _1."placed_on") row(_1."id")
    FROM "public"."or""ders" AS _1
    ORDER BY _1."placed_on", _1."status", _1."id"
    LIMIT 3), array(SELECT DISTINCT ON (_2."status") row(_2."status"::text)
    FROM "public"."or""ders" AS _2
    ORDER BY _2."status"
    LIMIT 3), array(SELECT DISTINCT ON (_3."placed_on") row(_3."id", _3."placed_on")
    FROM "public"."or""ders" AS _3
    ORDER BY _3."placed_on" DESC, _3."id"
    LIMIT 2
    OFFSET 1), (SELECT row(count(*))
    FROM (SELECT DISTINCT ON (_4."status") _4."status"
      FROM "public"."or""ders" AS _4
      ORDER BY _4."status") AS _4), array(SELECT row(_5."id")
    FROM "public"."or""ders" AS _5
    ORDER BY _5."id"
    LIMIT 1);
-- _0 public.or"ders: permissions.toml:124: true
-- _1 public.or"ders: permissions.toml:124: true
-- _2 public.or"ders: permissions.toml:124: true
-- _3 public.or"ders: permissions.toml:124: true
-- _4 public.or"ders: permissions.toml:124: true
-- _5 public.or"ders: permissions.toml:124: true
