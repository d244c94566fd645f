-- role: admin
SELECT _0."name", _1."id" IS NOT NULL, _1."name", _2."id" IS NOT NULL, _2."name", array(SELECT row(_3."id", array(SELECT row(_4."line_no", _5."id" IS NOT NULL, _5."title", array(SELECT row(_7."id" IS NOT NULL, _7."label")
            FROM "public"."product_labels" AS _6
            LEFT JOIN "public"."labels" AS _7 ON _7."id" = _6."label_id"
            WHERE _6."product_id" = _5."id"
            ORDER BY _6."label_id"))
        FROM "public"."order_lines" AS _4
        LEFT JOIN "public"."products" AS _5 ON _5."id" = _4."product_id"
        WHERE _4."order_id" = _3."id"
        AND _4."quantity" > $1::int4
        ORDER BY _4."line_no"))
    FROM "public"."or""ders" AS _3
    WHERE _3."user_id" = _0."id"
    ORDER BY _3."id" DESC
    LIMIT 2)
  FROM "public"."users" AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."manager_id"
  LEFT JOIN "public"."teams" AS _2 ON _2."id" = _1."team_id"
  ORDER BY _0."id";
-- $1: "0" of the document
-- _6 public.product_labels: every row
-- _7 public.labels: every row
-- _4 public.order_lines: every row
-- _5 public.products: every row
-- _3 public.or"ders: every row
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.teams: every row

-- role: customer
SELECT _0."name", _1."id" IS NOT NULL, _1."name", _2."id" IS NOT NULL, _2."name", array(SELECT row(_3."id", array(SELECT row(_4."line_no", _5."id" IS NOT NULL, _5."title", array(SELECT row(_7."id" IS NOT NULL, _7."label")
            FROM "public"."product_labels" AS _6
            LEFT JOIN "public"."labels" AS _7 ON _7."id" = _6."label_id"
            AND (_7."label" = ANY($1::text[]))
            WHERE _6."product_id" = _5."id"
            ORDER BY _6."label_id"))
        FROM (SELECT _4."order_id", _4."line_no", _4."product_id", _4."quantity"
          FROM "public"."order_lines" AS _4
          WHERE (((_4."order_id") IN (SELECT "o"."id"
                FROM "public"."or""ders" AS "o"
                WHERE "o"."user_id" = $2::int4)))
          AND _4."order_id" = _3."id"
          AND _4."quantity" > $3::int4
          OFFSET 0) AS _4
        LEFT JOIN "public"."products" AS _5 ON _5."id" = _4."product_id"
        AND (NOT _5."hidden")
        ORDER BY _4."line_no"))
    FROM "public"."or""ders" AS _3
    WHERE (_3."user_id" = $2::int4)
    AND _3."user_id" = _0."id"
    ORDER BY _3."id" DESC
    LIMIT 2)
  FROM "public"."users" AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."manager_id"
  AND (_1."id" = $2::int4)
  LEFT JOIN "public"."teams" AS _2 ON _2."id" = _1."team_id"
  WHERE (_0."id" = $2::int4)
  ORDER BY _0."id";
-- $1: session value labels, _text
-- $2: session value user_id, Int
-- $3: "0" of the document
-- _6 public.product_labels: permissions.toml:98: true
-- _7 public.labels: permissions.toml:86: label = ANY (session.labels)
-- _4 public.order_lines: permissions.toml:131: own_order(order_id)
-- _5 public.products: permissions.toml:74: NOT hidden
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.teams: permissions.toml:30: true

-- role: staff
SELECT _0."name", _1."id" IS NOT NULL, _1."name", _2."id" IS NOT NULL, _2."name", array(SELECT row(_3."id", array(SELECT row(_4."line_no", _5."id" IS NOT NULL, _5."title", array(SELECT row(_7."id" IS NOT NULL, _7."label")
            FROM "public"."product_labels" AS _6
            LEFT JOIN "public"."labels" AS _7 ON _7."id" = _6."label_id"
            WHERE _6."product_id" = _5."id"
            ORDER BY _6."label_id"))
        FROM (SELECT _4."order_id", _4."line_no", _4."product_id", _4."quantity"
          FROM "public"."order_lines" AS _4
          WHERE ((EXISTS (SELECT
                FROM "public"."or""ders" AS "o"
                WHERE "o"."id" = (_4."order_id")
                AND (EXISTS (SELECT
                    FROM "public"."memberships" AS "m"
                    WHERE "m"."team_id" = ("o"."team_id")
                    AND "m"."user_id" = $1::int4)))))
          AND _4."order_id" = _3."id"
          AND _4."quantity" > $2::int4
          ORDER BY _4."line_no"
          LIMIT 2) AS _4
        LEFT JOIN "public"."products" AS _5 ON _5."id" = _4."product_id"
        ORDER BY _4."line_no"))
    FROM "public"."or""ders" AS _3
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _3."user_id" = _0."id"
    ORDER BY _3."id" DESC
    LIMIT 2)
  FROM "public"."users" AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."manager_id"
  AND ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_1."team_id")
        AND "m"."user_id" = $1::int4)))
  LEFT JOIN "public"."teams" AS _2 ON _2."id" = _1."team_id"
  AND ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_2."id")
        AND "m"."user_id" = $1::int4)))
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."team_id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "0" of the document
-- _6 public.product_labels: permissions.toml:101: true
-- _7 public.labels: permissions.toml:89: true
-- _4 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _5 public.products: permissions.toml:77: true
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.users: permissions.toml:54: member_of(team_id)
-- _2 public.teams: permissions.toml:33: member_of(id)
