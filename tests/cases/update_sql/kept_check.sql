-- role: writer
WITH _1 AS (UPDATE "public"."remarks" AS _0 SET "stars" = _0."stars" + $1::int2
    WHERE (_0."owner_id" = $2::int4)
    AND _0."stars" > $1::int2 RETURNING _0."owner_id", _0."line", _0."stars") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."owner_id", _2."line", _2."stars")
    FROM _1 AS _2);
-- $1: "1" of the document
-- $2: session value user_id, Int
-- _0 public.remarks: permissions.toml:579: owner_id = session.user_id
-- _2 public.remarks: permissions.toml:577: true
