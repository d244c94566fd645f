-- role: writer
WITH _3 AS (INSERT INTO "public"."gadgets" AS _2 ("owner_id", "gadget_name") SELECT _1."owner_id", _1."gadget_name"
    FROM (SELECT $1::int4 AS "owner_id", $2::text AS "gadget_name") AS _1
    WHERE (CASE WHEN (_1."owner_id" = $3::int4) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool ON CONFLICT ("id") DO UPDATE SET "slot" = excluded."slot"
    WHERE CASE WHEN (_2."owner_id" = $3::int4) THEN (CASE WHEN (_2."owner_id" = $3::int4) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool ELSE false END RETURNING _2."owner_id", _2."gadget_name") SELECT array(SELECT row(_4."gadget_name")
    FROM _3 AS _4
    WHERE (_4."owner_id" = $3::int4));
-- $1: ownerId of the row $.selectionSet.insertGadgetsOne.args.object of the request, Int
-- $2: gadgetName of the row $.selectionSet.insertGadgetsOne.args.object of the request, String
-- $3: session value user_id, Int
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- _1 public.gadgets: permissions.toml:635: owner_id = session.user_id
-- _2 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _2 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _4 public.gadgets: permissions.toml:634: owner_id = session.user_id
WITH _6 AS (UPDATE "public"."gadgets" AS _5 SET "retired" = $1::bool
    WHERE (_5."owner_id" = $2::int4)
    AND _5."id" = $3::int4
    AND CASE WHEN (_5."owner_id" = $2::int4)
    AND _5."id" = $3::int4 THEN (CASE WHEN (_5."slot" = $3::int4) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool ELSE false END RETURNING _5."owner_id", _5."gadget_name", _5."slot") SELECT array(SELECT row(_7."gadget_name", _7."slot")
    FROM _6 AS _7
    WHERE (_7."owner_id" = $2::int4));
-- $1: $.selectionSet.updateGadgetsByPk.args._set.retired of the request, Boolean
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- _5 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _7 public.gadgets: permissions.toml:634: owner_id = session.user_id
WITH _9 AS (UPDATE "public"."gadgets" AS _8 SET "slot" = _8."slot" + $1::int4
    WHERE (_8."owner_id" = $2::int4)
    AND _8."gadget_name" = $3::text RETURNING _8."owner_id", _8."slot") SELECT ((SELECT count(*)
      FROM _9)), array(SELECT row(_10."slot")
    FROM _9 AS _10
    WHERE (_10."owner_id" = $2::int4));
-- $1: "10" of the document
-- $2: session value user_id, Int
-- $3: "Lamp" of the document
-- _8 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _10 public.gadgets: permissions.toml:634: owner_id = session.user_id
