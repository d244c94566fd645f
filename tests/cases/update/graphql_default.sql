-- role: writer
WITH _1 AS (UPDATE "public"."gadgets" AS _0 SET "gadget_name" = $1::text
    WHERE (_0."owner_id" = $2::int4)
    AND _0."gadget_name" = $3::text RETURNING _0."id", _0."owner_id", _0."gadget_name") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."id", _2."gadget_name")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $2::int4));
-- $1: "Light" of the document
-- $2: session value user_id, Int
-- $3: "Lamp" of the document
-- _0 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _2 public.gadgets: permissions.toml:634: owner_id = session.user_id
WITH _1 AS (UPDATE "public"."gadgets" AS _0 SET "slot" = _0."slot" + $1::int4
    WHERE (_0."owner_id" = $2::int4)
    AND _0."id" = $3::int4
    AND CASE WHEN (_0."owner_id" = $2::int4)
    AND _0."id" = $3::int4 THEN (CASE WHEN (_0."retired" = $4::bool) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool ELSE false END RETURNING _0."id", _0."owner_id", _0."slot") SELECT array(SELECT row(_2."id", _2."slot")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $2::int4));
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: "2" of the document
-- $4: "true" of the document
-- $5: the word of alarm 1.
-- _0 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _2 public.gadgets: permissions.toml:634: owner_id = session.user_id
WITH _1 AS (UPDATE "public"."gadgets" AS _0 SET "slot" = _0."slot" + $1::int4
    WHERE (_0."owner_id" = $2::int4)
    AND _0."slot" IS NOT NULL
    AND CASE WHEN (_0."owner_id" = $2::int4)
    AND _0."slot" IS NOT NULL THEN (CASE WHEN (_0."owner_id" = $3::int4) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool ELSE false END RETURNING _0."id", _0."owner_id", _0."slot") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."id", _2."slot")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $2::int4));
-- $1: $.selectionSet.updateGadgetsMany.args.updates[0]._inc.slot of the request, Int
-- $2: session value user_id, Int
-- $3: $.selectionSet.updateGadgetsMany.args.updates[0].ifMatch.ownerId of the request, Int
-- $4: the word of alarm 1.
-- _0 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _2 public.gadgets: permissions.toml:634: owner_id = session.user_id
