-- role: owner
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = _0."data" || $1::jsonb
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "{\"z\":1}" of the document
-- $2: "00000000-0000-0000-0000-00000000000a" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = $1::jsonb || _0."data"
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "{\"a\":7,\"y\":2}" of the document
-- $2: "00000000-0000-0000-0000-00000000000a" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = _0."data" - $1::text
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "a" of the document
-- $2: "00000000-0000-0000-0000-00000000000a" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = _0."data" #- $1::text[]
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "{\"b\",\"c\",\"0\"}" of the document
-- $2: "00000000-0000-0000-0000-00000000000a" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = _0."data" || $1::jsonb
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "4" of the document
-- $2: "00000000-0000-0000-0000-00000000000c" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = $1::jsonb || _0."data"
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "[0]" of the document
-- $2: "00000000-0000-0000-0000-00000000000c" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = _0."data" - $1::int4
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "-1" of the document
-- $2: "00000000-0000-0000-0000-00000000000c" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = _0."data" || $1::jsonb
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "4" of the document
-- $2: "00000000-0000-0000-0000-00000000000b" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
