-- role: admin
SELECT array(SELECT row(_1."id", array(SELECT row(_2."line_no")
        FROM "public"."order_lines" AS _2
        WHERE _2."order_id" = _1."id"
        ORDER BY _2."line_no"), _3."id" IS NOT NULL, _3."name")
    FROM (SELECT _1."id", _1."user_id"
      FROM "public"."or""ders" AS _1
      ORDER BY _1."id" DESC
      LIMIT 2) AS _1
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _1."user_id"
    ORDER BY _1."id" DESC);
-- _2 public.order_lines: every row
-- _1 public.or"ders: every row
-- _3 public.users: every row

-- role: customer
SELECT array(SELECT row(_1."id", array(SELECT row(_2."line_no")
        FROM "public"."order_lines" AS _2
        WHERE (((_2."order_id") IN (SELECT "o"."id"
              FROM "public"."or""ders" AS "o"
              WHERE "o"."user_id" = $1::int4)))
        AND _2."order_id" = _1."id"
        ORDER BY _2."line_no"), _3."id" IS NOT NULL, _3."name")
    FROM (SELECT _1."id", _1."user_id"
      FROM "public"."or""ders" AS _1
      WHERE (_1."user_id" = $1::int4)
      ORDER BY _1."id" DESC
      LIMIT 2) AS _1
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _1."user_id"
    AND (_3."id" = $1::int4)
    ORDER BY _1."id" DESC);
-- $1: session value user_id, Int
-- _2 public.order_lines: permissions.toml:131: own_order(order_id)
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
