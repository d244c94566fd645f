-- role: writer
WITH _1 AS (DELETE
    FROM "public"."remarks" AS _0
    WHERE (_0."owner_id" = $1::int4)
    AND _0."stars" = $2::int2 RETURNING _0."line", _0."stars") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."line", _2."stars")
    FROM _1 AS _2);
-- $1: session value user_id, Int
-- $2: "5" of the document
-- _0 public.remarks: permissions.toml:580: owner_id = session.user_id
-- _2 public.remarks: permissions.toml:577: true
