-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _1 (c0) AS MATERIALIZED (SELECT _2."id"
    FROM "public"."users" AS _2
    WHERE (((_2."name" = $1::text)) OR ((_2."name" <> $1::text)
        AND (_2."id" > $2::int4)))
    ORDER BY _2."id") (SELECT 0::int2, _4."id", _4."user_id", null::int2
    FROM "public"."or""ders" AS _4
    WHERE _4."user_id" = ANY (array(SELECT _1.c0
        FROM _1))
    AND EXISTS (SELECT
      FROM "public"."users" AS _5
      WHERE _5."id" = _4."user_id"
      AND _5."id" >= $2::int4)
    ORDER BY _4."id") UNION ALL SELECT 1::int2, null::int8, _1.c0, null::int2
  FROM _1 UNION ALL (SELECT 2::int2, null::int8, _7."id", null::int2
    FROM "public"."users" AS _7
    WHERE _7."name" = $1::text
    AND _7."id" = $2::int4
    ORDER BY _7."id") UNION ALL (SELECT 3::int2, null::int8, _9."id", null::int2
    FROM "public"."users" AS _9
    WHERE (((_9."name" ~~ $3::text)) OR ((_9."name" !~~ $3::text)))
    ORDER BY _9."id") UNION ALL SELECT 4::int2, null::int8, null::int4, _0.c0
  FROM _0;
-- $1: $.selectionSet.users.args.where._or[0].name._eq of the request, String
-- $2: $.selectionSet.users.args.where._or[1].id._gt of the request, Int
-- $3: $.selectionSet.users.args.where._or[0].name._like of the request, String, a pattern
-- _2 public.users: every row
-- _4 public.or"ders: every row
-- _5 public.users: every row
-- _7 public.users: every row
-- _9 public.users: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _1 (c0) AS MATERIALIZED (SELECT _2."id"
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    AND (((_2."name" = $2::text)) OR ((_2."name" <> $2::text)
        AND (_2."id" > $3::int4)))
    ORDER BY _2."id") (SELECT 0::int2, _4."id", _4."user_id", null::int2
    FROM (SELECT _4."id", _4."user_id"
      FROM "public"."or""ders" AS _4
      WHERE (_4."user_id" = $1::int4)
      AND _4."user_id" = ANY (array(SELECT _1.c0
          FROM _1))
      OFFSET 0) AS _4
    WHERE EXISTS (SELECT
      FROM "public"."users" AS _5
      WHERE (_5."id" = $1::int4)
      AND _5."id" = _4."user_id"
      AND _5."id" >= $3::int4)
    ORDER BY _4."id") UNION ALL SELECT 1::int2, null::int8, _1.c0, null::int2
  FROM _1 UNION ALL (SELECT 2::int2, null::int8, _7."id", null::int2
    FROM (SELECT _7."id", _7."name"
      FROM "public"."users" AS _7
      WHERE (_7."id" = $1::int4)
      AND _7."id" = $3::int4
      OFFSET 0) AS _7
    WHERE _7."name" = $2::text
    ORDER BY _7."id") UNION ALL (SELECT 3::int2, null::int8, _9."id", null::int2
    FROM (SELECT _9."id", _9."name"
      FROM "public"."users" AS _9
      WHERE (_9."id" = $1::int4)
      OFFSET 0) AS _9
    WHERE (((_9."name" ~~ (SELECT $4::text))) OR ((_9."name" !~~ (SELECT $4::text))))
    ORDER BY _9."id") UNION ALL SELECT 4::int2, null::int8, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.users.args.where._or[0].name._eq of the request, String
-- $3: $.selectionSet.users.args.where._or[1].id._gt of the request, Int
-- $4: $.selectionSet.users.args.where._or[0].name._like of the request, String, a pattern
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _7 public.users: permissions.toml:51: id = session.user_id
-- _9 public.users: permissions.toml:51: id = session.user_id
