-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", (_0."id" + $1::int4)::int4 AS "id", ((($2::int4)::int4))::int4 AS "touched_by", _0."owner_id", _0."amount"
    FROM "public"."shelves" AS _0
    WHERE (_0."owner_id" = $2::int4
      AND _0."amount" > 0) FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."shelves" AS _2 SET "id" = _1."id", "touched_by" = _1."touched_by"
    FROM _1
    WHERE (_2."owner_id" = $2::int4
      AND _2."amount" > 0)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $2::int4
              AND _1."amount" <= 60) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _1) RETURNING _2."id", _2."owner_id", _2."label", _2."amount", _2."touched_by") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_4."id", _4."label", _4."touched_by", _4."amount")
    FROM _3 AS _4
    WHERE (_4."owner_id" = $2::int4));
-- $1: "100" of the document
-- $2: session value user_id, Int
-- $3: the word of alarm 1.
-- _0 public.shelves: permissions.toml:585: owner_id = session.user_id AND amount > 0
-- _2 public.shelves: permissions.toml:585: owner_id = session.user_id AND amount > 0
-- _4 public.shelves: permissions.toml:583: owner_id = session.user_id
