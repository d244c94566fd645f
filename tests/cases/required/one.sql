-- role: customer
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."users" AS _0
          WHERE (_0."id" = $1::int4)
          AND _0."id" = $2::int4)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool) SELECT null, null, null, null, null, null, null
  FROM _1
  WHERE NOT _1.c0 UNION ALL (WITH _2 (c0, c1, c2, c3) AS MATERIALIZED (SELECT _3."name", _4."id" IS NOT NULL, _4."name", _3."id"
      FROM "public"."users" AS _3
      LEFT JOIN "public"."users" AS _4 ON _4."id" = _3."manager_id"
      AND (_4."id" = $1::int4)
      WHERE (_3."id" = $1::int4)
      AND _3."id" = $2::int4), _5 (c0, c1) AS MATERIALIZED (SELECT _6."id", _6."user_id"
      FROM "public"."or""ders" AS _6
      WHERE (_6."user_id" = $1::int4)
      AND _6."user_id" = ANY (array(SELECT _2.c3
          FROM _2))
      ORDER BY _6."id") (SELECT 0::int2, _8."line_no", _8."order_id", null::int4, null::text, null::bool, null::text
      FROM "public"."order_lines" AS _8
      WHERE (((_8."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _8."order_id" = ANY (array(SELECT _5.c0
          FROM _5))
      ORDER BY _8."line_no") UNION ALL SELECT 1::int2, null::int2, _5.c0, _5.c1, null::text, null::bool, null::text
    FROM _5 UNION ALL SELECT 2::int2, null::int2, null::int8, _2.c3, _2.c0, _2.c1, _2.c2
    FROM _2);
-- $1: session value user_id, Int
-- $2: $.variables.user of the request, Int!
-- $3: the word of alarm 1.
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _8 public.order_lines: permissions.toml:131: own_order(order_id)
