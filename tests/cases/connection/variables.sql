-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."or""ders" AS _0
    ORDER BY _0."id"
    LIMIT $1::int8 + 1), $1::int8::int8;
-- $1: $.selectionSet.ordersConnection.args.first of the request, Int, not negative, a count
-- _0 public.or"ders: every row
