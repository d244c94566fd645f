-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _6 (c0, c1, c2, c3) AS MATERIALIZED (SELECT _7."id", _8."id" IS NOT NULL, _8."id", (SELECT row(count(*))
      FROM "public"."order_lines" AS _11
      WHERE (((_11."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _11."order_id" = _7."id")
    FROM "public"."or""ders" AS _7
    LEFT JOIN "public"."or""ders" AS _8 ON _8."id" = _7."parent_id"
    AND (_8."user_id" = $1::int4)
    WHERE (_7."user_id" = $1::int4)
    ORDER BY _7."id"), _1 (c0, c1, c2) AS MATERIALIZED (SELECT _2."id", _3."id" IS NOT NULL, _3."id"
    FROM "public"."users" AS _2
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _2."manager_id"
    AND (_3."id" = $1::int4)
    WHERE (_2."id" = $1::int4)
    ORDER BY _2."id") (SELECT 0::int2, _5."id", _5."manager_id", null::bool, null::int8, null::int8, null::record, null::int2
    FROM "public"."users" AS _5
    WHERE (_5."id" = $1::int4)
    AND _5."manager_id" = ANY (array(SELECT _1.c0
        FROM _1))
    ORDER BY _5."id") UNION ALL SELECT 1::int2, _1.c0, _1.c2, _1.c1, null::int8, null::int8, null::record, null::int2
  FROM _1 UNION ALL (SELECT 2::int2, null::int4, null::int4, null::bool, _10."id", _10."parent_id", null::record, null::int2
    FROM "public"."or""ders" AS _10
    WHERE (_10."user_id" = $1::int4)
    AND _10."parent_id" = ANY (array(SELECT _6.c0
        FROM _6))
    ORDER BY _10."id") UNION ALL SELECT 3::int2, null::int4, null::int4, _6.c1, _6.c0, _6.c2, _6.c3, null::int2
  FROM _6 UNION ALL SELECT 4::int2, null::int4, null::int4, null::bool, null::int8, null::int8, null::record, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _11 public.order_lines: permissions.toml:131: own_order(order_id)
-- _7 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _8 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _10 public.or"ders: permissions.toml:118: user_id = session.user_id
