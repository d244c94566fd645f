-- role: admin
SELECT array(SELECT row((_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text, _0."id", array(SELECT row(_1."line_no")
        FROM "public"."order_lines" AS _1
        WHERE _1."order_id" = _0."id"
        ORDER BY _1."line_no"), (_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text, _0."id", _0."placed_on", (_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text)
    FROM "public"."or""ders" AS _0
    WHERE _0."Total Amount" >= $1::numeric
    ORDER BY _0."placed_on" DESC, _0."Total Amount", _0."id"
    LIMIT 2 + 1), 2::int8, (SELECT count(*)
    FROM "public"."or""ders" AS _2
    WHERE _2."Total Amount" >= $1::numeric);
-- $1: "0" of the document
-- _1 public.order_lines: every row
-- _0 public.or"ders: every row
-- _2 public.or"ders: every row

-- role: customer
SELECT array(SELECT row((_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text, _0."id", array(SELECT row(_1."line_no")
        FROM "public"."order_lines" AS _1
        WHERE (((_1."order_id") IN (SELECT "o"."id"
              FROM "public"."or""ders" AS "o"
              WHERE "o"."user_id" = $1::int4)))
        AND _1."order_id" = _0."id"
        ORDER BY _1."line_no"), (_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text, _0."id", _0."placed_on", (_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text)
    FROM (SELECT _0."id", _0."Total Amount", _0."placed_on"
      FROM "public"."or""ders" AS _0
      WHERE (_0."user_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."Total Amount" >= (SELECT $2::numeric)
    ORDER BY _0."placed_on" DESC, _0."Total Amount", _0."id"
    LIMIT 2 + 1), 2::int8, (SELECT count(*)
    FROM (SELECT _2."Total Amount"
      FROM "public"."or""ders" AS _2
      WHERE (_2."user_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."Total Amount" >= (SELECT $2::numeric));
-- $1: session value user_id, Int
-- $2: "0" of the document
-- _1 public.order_lines: permissions.toml:131: own_order(order_id)
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: staff
SELECT array(SELECT row((_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text, _0."id", array(SELECT row(_1."line_no")
        FROM "public"."order_lines" AS _1
        WHERE ((EXISTS (SELECT
              FROM "public"."or""ders" AS "o"
              WHERE "o"."id" = (_1."order_id")
              AND (EXISTS (SELECT
                  FROM "public"."memberships" AS "m"
                  WHERE "m"."team_id" = ("o"."team_id")
                  AND "m"."user_id" = $1::int4)))))
        AND _1."order_id" = _0."id"
        ORDER BY _1."line_no"
        LIMIT 2), (_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text, _0."id", _0."placed_on", (_0."placed_on")::text, (_0."Total Amount")::text, (_0."id")::text)
    FROM (SELECT _0."id", _0."Total Amount", _0."placed_on"
      FROM "public"."or""ders" AS _0
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_0."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _0
    WHERE _0."Total Amount" >= (SELECT $2::numeric)
    ORDER BY _0."placed_on" DESC, _0."Total Amount", _0."id"
    LIMIT 2 + 1), 2::int8, (SELECT count(*)
    FROM (SELECT _2."Total Amount"
      FROM "public"."or""ders" AS _2
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _2
    WHERE _2."Total Amount" >= (SELECT $2::numeric));
-- $1: session value user_id, Int
-- $2: "0" of the document
-- _1 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _0 public.or"ders: permissions.toml:121: member_of(team_id)
-- _2 public.or"ders: permissions.toml:121: member_of(team_id)
