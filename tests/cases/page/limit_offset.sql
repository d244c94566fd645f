-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int4, null::record[], null::int2
    FROM "public"."or""ders" AS _2
    ORDER BY _2."id"
    LIMIT 2
    OFFSET 1) UNION ALL (SELECT 1::int2, _4."id", null::int4, null::record[], null::int2
    FROM "public"."or""ders" AS _4
    LIMIT 0) UNION ALL (SELECT 2::int2, _6."id", null::int4, null::record[], null::int2
    FROM "public"."or""ders" AS _6
    OFFSET 100) UNION ALL (SELECT 3::int2, null::int8, _8."id", array(SELECT row(_9."id")
      FROM "public"."or""ders" AS _9
      WHERE _9."user_id" = _8."id"
      ORDER BY _9."id"
      LIMIT 1
      OFFSET 1), null::int2
    FROM (SELECT _8."id"
      FROM "public"."users" AS _8
      ORDER BY _8."id"
      OFFSET 1) AS _8
    ORDER BY _8."id") UNION ALL SELECT 4::int2, null::int8, null::int4, null::record[], _0.c0
  FROM _0;
-- _2 public.or"ders: every row
-- _4 public.or"ders: every row
-- _6 public.or"ders: every row
-- _9 public.or"ders: every row
-- _8 public.users: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int4, null::record[], null::int2
    FROM "public"."or""ders" AS _2
    WHERE (_2."user_id" = $1::int4)
    ORDER BY _2."id"
    LIMIT 2
    OFFSET 1) UNION ALL (SELECT 1::int2, _4."id", null::int4, null::record[], null::int2
    FROM "public"."or""ders" AS _4
    WHERE (_4."user_id" = $1::int4)
    LIMIT 0) UNION ALL (SELECT 2::int2, _6."id", null::int4, null::record[], null::int2
    FROM "public"."or""ders" AS _6
    WHERE (_6."user_id" = $1::int4)
    OFFSET 100) UNION ALL (SELECT 3::int2, null::int8, _8."id", array(SELECT row(_9."id")
      FROM "public"."or""ders" AS _9
      WHERE (_9."user_id" = $1::int4)
      AND _9."user_id" = _8."id"
      ORDER BY _9."id"
      LIMIT 1
      OFFSET 1), null::int2
    FROM (SELECT _8."id"
      FROM "public"."users" AS _8
      WHERE (_8."id" = $1::int4)
      ORDER BY _8."id"
      OFFSET 1) AS _8
    ORDER BY _8."id") UNION ALL SELECT 4::int2, null::int8, null::int4, null::record[], _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _9 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
