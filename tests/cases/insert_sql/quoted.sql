-- role: writer
INSERT INTO "public"."or""ders" AS _2 ("id", "user_id", "Total Amount", "na""me", "status", "placed_on") SELECT _1."id", _1."user_id", _1."Total Amount", _1."na""me", _1."status", _1."placed_on"
  FROM (SELECT $1::int8 AS "id", ($2::int4)::int4 AS "user_id", $3::numeric AS "Total Amount", $4::text AS "na""me", $5::text::"public"."Order Status" AS "status", $6::date AS "placed_on") AS _1
  WHERE (CASE WHEN (_1."Total Amount" < 1000) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool RETURNING (_2."user_id" = $2::int4), _2."id", _2."Total Amount", _2."na""me";
-- $1: id of the row $.selectionSet.insertOrdersOne.args.object of the request, bigint
-- $2: session value user_id, Int
-- $3: total of the row $.selectionSet.insertOrdersOne.args.object of the request, numeric
-- $4: name of the row $.selectionSet.insertOrdersOne.args.object of the request, String
-- $5: status of the row $.selectionSet.insertOrdersOne.args.object of the request, Order_Status
-- $6: placedOn of the row $.selectionSet.insertOrdersOne.args.object of the request, date
-- $7: the word of alarm 1.
-- _1 public.or"ders: permissions.toml:656: "Total Amount" < 1000
-- _2 public.or"ders: permissions.toml:655: user_id = session.user_id
