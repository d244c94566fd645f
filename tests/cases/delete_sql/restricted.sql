-- role: owner
WITH _1 AS (DELETE
    FROM "public"."accounts" AS _0
    WHERE _0."id" = $1::int4 RETURNING _0."id") SELECT array(SELECT row(_2."id")
    FROM _1 AS _2);
-- $1: "1" of the document
-- _0 public.accounts: permissions.toml:457: true
-- _2 public.accounts: permissions.toml:454: true
