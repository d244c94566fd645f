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
WITH _1 AS (UPDATE "public"."gadgets" AS _0 SET "retired" = $1::bool
    WHERE (_0."owner_id" = $2::int4)
    AND _0."id" = $3::int4
    AND CASE WHEN (_0."owner_id" = $2::int4)
    AND _0."id" = $3::int4 THEN (CASE WHEN (_0."slot" = $3::int4) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool ELSE false END RETURNING _0."owner_id", _0."gadget_name", _0."slot") SELECT array(SELECT row(_2."gadget_name", _2."slot")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $2::int4));
-- $1: $.selectionSet.updateGadgetsByPk.args._set.retired of the request, Boolean
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- _0 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _2 public.gadgets: permissions.toml:634: owner_id = session.user_id
WITH _1 AS (UPDATE "public"."gadgets" AS _0 SET "slot" = _0."slot" + $1::int4
    WHERE (_0."owner_id" = $2::int4)
    AND _0."gadget_name" = $3::text RETURNING _0."owner_id", _0."slot") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."slot")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $2::int4));
-- $1: "10" of the document
-- $2: session value user_id, Int
-- $3: "Lamp" of the document
-- _0 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _2 public.gadgets: permissions.toml:634: owner_id = session.user_id
