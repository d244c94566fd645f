-- role: admin
WITH _3 AS (INSERT INTO "public"."gadgets" AS _2 ("owner_id", "gadget_name", "slot", "retired") SELECT _0."owner_id", _0."gadget_name", _0."slot", _0."retired"
    FROM unnest($1::int4[], $2::text[], $3::int4[], $4::bool[]) AS _0("owner_id", "gadget_name", "slot", "retired") ON CONFLICT (slot)
    WHERE (NOT retired) DO NOTHING RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: ownerId of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
-- $2: gadgetName of the rows $.selectionSet.insertGadgets.args.objects of the request, [String]
-- $3: slot of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
-- $4: retired of the rows $.selectionSet.insertGadgets.args.objects of the request, [Boolean]
WITH _3 AS (INSERT INTO "public"."gadgets" AS _2 ("owner_id", "gadget_name", "slot") SELECT _0."owner_id", _0."gadget_name", _0."slot"
    FROM unnest($1::int4[], $2::text[], $3::int4[]) AS _0("owner_id", "gadget_name", "slot") ON CONFLICT (slot)
    WHERE (NOT retired) DO NOTHING RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: ownerId of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
-- $2: gadgetName of the rows $.selectionSet.insertGadgets.args.objects of the request, [String]
-- $3: slot of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
WITH _3 AS (INSERT INTO "public"."gadgets" AS _2 ("owner_id", "gadget_name", "slot") SELECT _0."owner_id", _0."gadget_name", _0."slot"
    FROM unnest($1::int4[], $2::text[], $3::int4[]) AS _0("owner_id", "gadget_name", "slot") ON CONFLICT (slot)
    WHERE (NOT retired) DO UPDATE SET "gadget_name" = excluded."gadget_name" RETURNING _2."gadget_name", _2."slot", _2."retired") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_4."gadget_name", _4."slot", _4."retired")
    FROM _3 AS _4);
-- $1: ownerId of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
-- $2: gadgetName of the rows $.selectionSet.insertGadgets.args.objects of the request, [String]
-- $3: slot of the rows $.selectionSet.insertGadgets.args.objects of the request, [Int]
-- _2 public.gadgets: every row
-- _4 public.gadgets: every row
