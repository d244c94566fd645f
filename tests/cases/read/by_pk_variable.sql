-- role: customer
SELECT _0."title", _0."price"
  FROM "public"."products" AS _0
  WHERE (NOT _0."hidden")
  AND _0."id" = $1::uuid;
-- $1: $.selectionSet.productsByPk.args.id of the request, uuid!
-- _0 public.products: permissions.toml:74: NOT hidden
