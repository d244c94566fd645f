-- role: auditor
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    ORDER BY _0."id"
    LIMIT 3), array(SELECT row(_1."id")
    FROM "public"."or""ders" AS _1
    ORDER BY _1."id"
    LIMIT 2), array(SELECT row(_2."id")
    FROM "public"."or""ders" AS _2
    ORDER BY _2."id"
    LIMIT 3), array(SELECT row(_3."id")
    FROM "public"."or""ders" AS _3
    ORDER BY _3."id"
    LIMIT 3
    OFFSET 4), array(SELECT row(_4."id")
    FROM "public"."or""ders" AS _4
    WHERE _4."id" = $1::int8), (SELECT row(count(*), array(SELECT row(_6."id")
        FROM "public"."or""ders" AS _6
        ORDER BY _6."id"
        LIMIT 3))
    FROM "public"."or""ders" AS _5), (SELECT row(count(*), array(SELECT row(_8."id")
        FROM "public"."or""ders" AS _8
        ORDER BY _8."id"
        LIMIT 3))
    FROM (SELECT _7."id"
      FROM "public"."or""ders" AS _7
      ORDER BY _7."id"
      LIMIT 5) AS _7);
-- $1: "14" of the document
-- _0 public.or"ders: permissions.toml:124: true
-- _1 public.or"ders: permissions.toml:124: true
-- _2 public.or"ders: permissions.toml:124: true
-- _3 public.or"ders: permissions.toml:124: true
-- _4 public.or"ders: permissions.toml:124: true
-- _6 public.or"ders: permissions.toml:124: true
-- _5 public.or"ders: permissions.toml:124: true
-- _8 public.or"ders: permissions.toml:124: true
-- _7 public.or"ders: permissions.toml:124: true
