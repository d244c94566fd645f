-- role: admin
WITH _3 AS (INSERT INTO "public"."gadgets" AS _2 ("owner_id", "gadget_name", "slot") SELECT _0."owner_id", _0."gadget_name", _0."slot"
    FROM unnest($1::int4[], $2::text[], $3::int4[]) AS _0("owner_id", "gadget_name", "slot") ON CONFLICT (lower(gadget_name)) DO NOTHING RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: ownerId of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
-- $2: gadgetName of the rows $.selectionSet.insertGadgets.args.objects of the request, [String]
-- $3: slot of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
WITH _3 AS (INSERT INTO "public"."gadgets" AS _2 ("owner_id", "gadget_name", "slot") SELECT _0."owner_id", _0."gadget_name", _0."slot"
    FROM unnest($1::int4[], $2::text[], $3::int4[]) AS _0("owner_id", "gadget_name", "slot") ON CONFLICT (lower(gadget_name)) DO UPDATE SET "slot" = excluded."slot" RETURNING _2."gadget_name", _2."slot") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_4."gadget_name", _4."slot")
    FROM _3 AS _4);
-- $1: ownerId of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
-- $2: gadgetName of the rows $.selectionSet.insertGadgets.args.objects of the request, [String]
-- $3: slot of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
-- _2 public.gadgets: every row
-- _4 public.gadgets: every row
