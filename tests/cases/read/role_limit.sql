-- role: auditor
WITH _0 (c0, c1, c2) AS MATERIALIZED (SELECT array(SELECT row(_9."id")
      FROM "public"."or""ders" AS _9
      WHERE _9."id" = $1::int8), (SELECT row(count(*), array(SELECT row(_11."id")
          FROM "public"."or""ders" AS _11
          ORDER BY _11."id"
          LIMIT 3))
      FROM "public"."or""ders" AS _10), (SELECT row(count(*), array(SELECT row(_13."id")
          FROM "public"."or""ders" AS _13
          ORDER BY _13."id"
          LIMIT 3))
      FROM (SELECT _12."id"
        FROM "public"."or""ders" AS _12
        ORDER BY _12."id"
        LIMIT 5) AS _12)) (SELECT 0::int2, _2."id", null::record[], null::record, null::record
    FROM "public"."or""ders" AS _2
    ORDER BY _2."id"
    LIMIT 3) UNION ALL (SELECT 1::int2, _4."id", null::record[], null::record, null::record
    FROM "public"."or""ders" AS _4
    ORDER BY _4."id"
    LIMIT 2) UNION ALL (SELECT 2::int2, _6."id", null::record[], null::record, null::record
    FROM "public"."or""ders" AS _6
    ORDER BY _6."id"
    LIMIT 3) UNION ALL (SELECT 3::int2, _8."id", null::record[], null::record, null::record
    FROM "public"."or""ders" AS _8
    ORDER BY _8."id"
    LIMIT 3
    OFFSET 4) UNION ALL SELECT 4::int2, null::int8, _0.c0, _0.c1, _0.c2
  FROM _0;
-- $1: "14" of the document
-- _9 public.or"ders: permissions.toml:124: true
-- _11 public.or"ders: permissions.toml:124: true
-- _10 public.or"ders: permissions.toml:124: true
-- _13 public.or"ders: permissions.toml:124: true
-- _12 public.or"ders: permissions.toml:124: true
-- _2 public.or"ders: permissions.toml:124: true
-- _4 public.or"ders: permissions.toml:124: true
-- _6 public.or"ders: permissions.toml:124: true
-- _8 public.or"ders: permissions.toml:124: true
