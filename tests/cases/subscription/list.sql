-- role: customer
SELECT _0."id", _0."status"::text, array(SELECT row(_1."line_no")
    FROM "public"."order_lines" AS _1
    WHERE (((_1."order_id") IN (SELECT "o"."id"
          FROM "public"."or""ders" AS "o"
          WHERE "o"."user_id" = $1::int4)))
    AND _1."order_id" = _0."id"
    ORDER BY _1."line_no")
  FROM "public"."or""ders" AS _0
  WHERE (_0."user_id" = $1::int4)
  AND _0."id" = ANY ($2::int8[])
  ORDER BY _0."id";
-- batch:
SELECT "_s"."n", "_r".*
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS "_s" ("p1", "p2", "n")
  LEFT JOIN LATERAL (SELECT true, "_q".*
    FROM (SELECT _0."id", _0."status"::text, array(SELECT row(_1."line_no")
        FROM "public"."order_lines" AS _1
        WHERE (((_1."order_id") IN (SELECT "o"."id"
              FROM "public"."or""ders" AS "o"
              WHERE "o"."user_id" = "_s"."p1"::int4)))
        AND _1."order_id" = _0."id"
        ORDER BY _1."line_no")
      FROM "public"."or""ders" AS _0
      WHERE (_0."user_id" = "_s"."p1"::int4)
      AND _0."id" = ANY ("_s"."p2"::int8[])
      ORDER BY _0."id") AS "_q"
    OFFSET 0) AS "_r" ON true;
-- $1: session value user_id, Int
-- $2: $.selectionSet.orders.args.where.id._in of the request, [bigint!], a list
-- _1 public.order_lines: permissions.toml:131: own_order(order_id)
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: admin
SELECT _0."id", _0."status"::text, array(SELECT row(_1."line_no")
    FROM "public"."order_lines" AS _1
    WHERE _1."order_id" = _0."id"
    ORDER BY _1."line_no")
  FROM "public"."or""ders" AS _0
  WHERE _0."id" = ANY ($1::int8[])
  ORDER BY _0."id";
-- batch:
SELECT "_s"."n", "_r".*
  FROM unnest($1::text[]) WITH ORDINALITY AS "_s" ("p1", "n")
  LEFT JOIN LATERAL (SELECT true, "_q".*
    FROM (SELECT _0."id", _0."status"::text, array(SELECT row(_1."line_no")
        FROM "public"."order_lines" AS _1
        WHERE _1."order_id" = _0."id"
        ORDER BY _1."line_no")
      FROM "public"."or""ders" AS _0
      WHERE _0."id" = ANY ("_s"."p1"::int8[])
      ORDER BY _0."id") AS "_q"
    OFFSET 0) AS "_r" ON true;
-- $1: $.selectionSet.orders.args.where.id._in of the request, [bigint!], a list
-- _1 public.order_lines: every row
-- _0 public.or"ders: every row
