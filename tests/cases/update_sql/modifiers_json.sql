-- role: owner
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "data" = _0."data" || $1::jsonb
    WHERE _0."id" = $2::uuid RETURNING _0."data") SELECT array(SELECT row(_2."data")
    FROM _1 AS _2);
-- $1: "{\"z\":1}" of the document
-- $2: "00000000-0000-0000-0000-00000000000a" of the document
-- _0 public.assets: permissions.toml:615: true
-- _2 public.assets: permissions.toml:613: true
WITH _4 AS (UPDATE "public"."assets" AS _3 SET "data" = $1::jsonb || _3."data"
    WHERE _3."id" = $2::uuid RETURNING _3."data") SELECT array(SELECT row(_5."data")
    FROM _4 AS _5);
-- $1: "{\"a\":7,\"y\":2}" of the document
-- $2: "00000000-0000-0000-0000-00000000000a" of the document
-- _3 public.assets: permissions.toml:615: true
-- _5 public.assets: permissions.toml:613: true
WITH _7 AS (UPDATE "public"."assets" AS _6 SET "data" = _6."data" - $1::text
    WHERE _6."id" = $2::uuid RETURNING _6."data") SELECT array(SELECT row(_8."data")
    FROM _7 AS _8);
-- $1: "a" of the document
-- $2: "00000000-0000-0000-0000-00000000000a" of the document
-- _6 public.assets: permissions.toml:615: true
-- _8 public.assets: permissions.toml:613: true
WITH _10 AS (UPDATE "public"."assets" AS _9 SET "data" = _9."data" #- $1::text[]
    WHERE _9."id" = $2::uuid RETURNING _9."data") SELECT array(SELECT row(_11."data")
    FROM _10 AS _11);
-- $1: "{\"b\",\"c\",\"0\"}" of the document
-- $2: "00000000-0000-0000-0000-00000000000a" of the document
-- _9 public.assets: permissions.toml:615: true
-- _11 public.assets: permissions.toml:613: true
WITH _13 AS (UPDATE "public"."assets" AS _12 SET "data" = _12."data" || $1::jsonb
    WHERE _12."id" = $2::uuid RETURNING _12."data") SELECT array(SELECT row(_14."data")
    FROM _13 AS _14);
-- $1: "4" of the document
-- $2: "00000000-0000-0000-0000-00000000000c" of the document
-- _12 public.assets: permissions.toml:615: true
-- _14 public.assets: permissions.toml:613: true
WITH _16 AS (UPDATE "public"."assets" AS _15 SET "data" = $1::jsonb || _15."data"
    WHERE _15."id" = $2::uuid RETURNING _15."data") SELECT array(SELECT row(_17."data")
    FROM _16 AS _17);
-- $1: "[0]" of the document
-- $2: "00000000-0000-0000-0000-00000000000c" of the document
-- _15 public.assets: permissions.toml:615: true
-- _17 public.assets: permissions.toml:613: true
WITH _19 AS (UPDATE "public"."assets" AS _18 SET "data" = _18."data" - $1::int4
    WHERE _18."id" = $2::uuid RETURNING _18."data") SELECT array(SELECT row(_20."data")
    FROM _19 AS _20);
-- $1: "-1" of the document
-- $2: "00000000-0000-0000-0000-00000000000c" of the document
-- _18 public.assets: permissions.toml:615: true
-- _20 public.assets: permissions.toml:613: true
WITH _22 AS (UPDATE "public"."assets" AS _21 SET "data" = _21."data" || $1::jsonb
    WHERE _21."id" = $2::uuid RETURNING _21."data") SELECT array(SELECT row(_23."data")
    FROM _22 AS _23);
-- $1: "4" of the document
-- $2: "00000000-0000-0000-0000-00000000000b" of the document
-- _21 public.assets: permissions.toml:615: true
-- _23 public.assets: permissions.toml:613: true
