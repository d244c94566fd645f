-- role: writer
WITH _1 AS (UPDATE "public"."entries" AS _0 SET "body" = $1::text
    WHERE (_0."owner_id" = $2::int4)
    AND _0."id" = $3::int4
    AND _0."year" = $4::int4 RETURNING _0."id", _0."year", _0."owner_id", _0."body") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."id", _2."year", _2."body")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $2::int4));
-- $1: "b" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: "2024" of the document
-- _0 public.entries: permissions.toml:627: owner_id = session.user_id
-- _2 public.entries: permissions.toml:625: owner_id = session.user_id
