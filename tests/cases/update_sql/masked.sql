-- role: rooted
WITH _1 AS (UPDATE "public"."shelves" AS _0 SET "amount" = _0."amount" + $1::int4
    WHERE (_0."owner_id" = $2::int4)
    AND CASE WHEN (_0."owner_id" = $2::int4) THEN ((left(_0."label", 1) || '***')::text) = (SELECT $3::text) ELSE false END RETURNING _0."id", _0."label", _0."amount") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."id", ((left(_2."label", 1) || '***')::text), _2."amount")
    FROM _1 AS _2);
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: "n***" of the document
-- _0 public.shelves: permissions.toml:601: owner_id = session.user_id
-- _2 public.shelves: permissions.toml:600: true
