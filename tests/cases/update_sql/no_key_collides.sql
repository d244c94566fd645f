-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::int4)::int4 AS "owner_id", ($2::text)::text AS "gadget_name"
    FROM "public"."gadgets" AS _0
    WHERE (_0."owner_id" = $3::int4)
    AND _0."id" = $4::int4 FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."gadgets" AS _2 SET "owner_id" = _1."owner_id", "gadget_name" = _1."gadget_name"
    FROM _1
    WHERE (_2."owner_id" = $3::int4)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $3::int4) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool
      FROM _1) RETURNING _2."id", _2."owner_id") SELECT array(SELECT row(_4."id")
    FROM _3 AS _4
    WHERE (_4."owner_id" = $3::int4));
-- $1: "2" of the document
-- $2: "radio" of the document
-- $3: session value user_id, Int
-- $4: "1" of the document
-- $5: the word of alarm 1.
-- _0 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _2 public.gadgets: permissions.toml:636: owner_id = session.user_id
-- _4 public.gadgets: permissions.toml:634: owner_id = session.user_id
