-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT array(SELECT row(_3."id")
      FROM "public"."users" AS _3
      WHERE _3."id" = $1::int4)) (SELECT 0::int2, _2."id", null::int8, null::record[]
    FROM "public"."users" AS _2
    WHERE _2."id" = $1::int4) UNION ALL (SELECT 1::int2, null::int4, _5."id", null::record[]
    FROM "public"."or""ders" AS _5
    WHERE _5."id" = $2::int8) UNION ALL SELECT 2::int2, null::int4, null::int8, _0.c0
  FROM _0;
-- $1: "999" of the document
-- $2: "1" of the document
-- _3 public.users: every row
-- _2 public.users: every row
-- _5 public.or"ders: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT array(SELECT row(_3."id")
      FROM "public"."users" AS _3
      WHERE (_3."id" = $1::int4)
      AND _3."id" = $2::int4)) (SELECT 0::int2, _2."id", null::int8, null::record[]
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    AND _2."id" = $2::int4) UNION ALL (SELECT 1::int2, null::int4, _5."id", null::record[]
    FROM "public"."or""ders" AS _5
    WHERE (_5."user_id" = $1::int4)
    AND _5."id" = $3::int8) UNION ALL SELECT 2::int2, null::int4, null::int8, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "999" of the document
-- $3: "1" of the document
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
