-- role: writer
WITH _1 AS (UPDATE "public"."remarks" AS _0 SET "line" = $1::text
    WHERE (_0."owner_id" = $2::int4) RETURNING _0."line", _0."stars") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."line", _2."stars")
    FROM _1 AS _2);
-- $1: "x" of the document
-- $2: session value user_id, Int
-- _0 public.remarks: permissions.toml:579: owner_id = session.user_id
-- _2 public.remarks: permissions.toml:577: true
