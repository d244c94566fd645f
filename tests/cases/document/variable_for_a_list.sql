-- role: admin
SELECT _0."id"
  FROM "public"."or""ders" AS _0
  WHERE _0."id" = ANY ($1::int8[])
  ORDER BY _0."id" DESC;
-- $1: $.selectionSet.orders.args.where.id._in of the request, [bigint!], a list
-- _0 public.or"ders: every row
