-- role: admin
SELECT _0."id"
  FROM "public"."or""ders" AS _0
  WHERE (((_0."id" = $1::int8)) OR ((_0."id" = ANY ($2::int8[]))) OR ((_0."na""me" ~~ $3::text)
      AND (_0."status" = $4::text::"public"."Order Status"
        AND _0."status" = ANY ($5::text::"public"."Order Status"[]))
      AND (_0."parent_id" IS NULL)))
  ORDER BY _0."id";
-- $1: $.selectionSet.orders.args.where._or[0].id._eq of the request, bigint
-- $2: $.selectionSet.orders.args.where._or[1].id._in of the request, [bigint!], a list
-- $3: $.selectionSet.orders.args.where._or[2].name._like of the request, String, a pattern
-- $4: $.selectionSet.orders.args.where._or[2].status._eq of the request, Order_Status
-- $5: $.selectionSet.orders.args.where._or[2].status._in of the request, [Order_Status!], a list
-- _0 public.or"ders: every row
