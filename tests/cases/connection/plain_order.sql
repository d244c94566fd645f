-- role: admin
SELECT _0."order_id", _0."line_no"
  FROM "public"."order_lines" AS _0
  WHERE ((_0."order_id", _0."line_no") > ($1::int8, $2::int2))
  ORDER BY _0."order_id", _0."line_no"
  LIMIT 2;
-- $1: value 0 of the cursor $.selectionSet.order_lines.args.after
-- $2: value 1 of the cursor $.selectionSet.order_lines.args.after
-- _0 public.order_lines: every row
