-- role: customer
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."users" AS _0
          WHERE (_0."id" = $1::int4)
          AND _0."id" = $2::int4)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool) SELECT null, null, null, null, null, null
  FROM _1
  WHERE NOT _1.c0 UNION ALL (WITH _2 (c0, c1, c2, c3) AS MATERIALIZED (SELECT (SELECT row(count(*))
        FROM "public"."or""ders" AS _3
        WHERE (_3."user_id" = $1::int4)
        AND _3."user_id" = $2::int4), array(SELECT row(_4."id")
        FROM "public"."or""ders" AS _4
        WHERE (_4."user_id" = $1::int4)
        ORDER BY _4."id"
        LIMIT 1 + 1), 1::int8, array(SELECT row(_7."name")
        FROM "public"."users" AS _7
        WHERE (_7."id" = $1::int4)
        AND _7."id" = $4::int4)) (SELECT 0::int2, _6."id", _6."na""me", null::record, null::record[], null::record[]
      FROM "public"."or""ders" AS _6
      WHERE (_6."user_id" = $1::int4)
      ORDER BY _6."id") UNION ALL SELECT 1::int2, _2.c2, null::text, _2.c0, _2.c1, _2.c3
    FROM _2);
-- $1: session value user_id, Int
-- $2: $.variables.user of the request, Int!
-- $3: the word of alarm 1.
-- $4: "77" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _7 public.users: permissions.toml:51: id = session.user_id
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
