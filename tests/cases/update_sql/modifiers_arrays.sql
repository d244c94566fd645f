-- role: writer
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "tags" = array_append(_0."tags", $1::text), "moods" = array_append(_0."moods", $2::text::"public"."mood"), "marks" = array_remove(_0."marks", $3::int4)
    WHERE (_0."owner_id" = $4::int4)
    AND _0."id" = $5::uuid RETURNING _0."owner_id", _0."tags", _0."marks", _0."moods", (CASE WHEN (_0."owner_id" = $4::int4
        AND _0."label" IS DISTINCT
        FROM 'bad'
        AND coalesce(_0."count_int", 0) < 1000000) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool AS "_judged") SELECT array(SELECT row(_2."tags", _2."marks", to_json(_2."moods")::text)
    FROM _1 AS _2
    WHERE (_2."owner_id" = $4::int4));
-- $1: "new" of the document
-- $2: "happy" of the document
-- $3: "2" of the document
-- $4: session value user_id, Int
-- $5: "00000000-0000-0000-0000-00000000000a" of the document
-- $6: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "marks" = array_append(_0."marks", $1::int4), "tags" = array_remove(_0."tags", $2::text), "moods" = array_remove(_0."moods", $3::text::"public"."mood")
    WHERE (_0."owner_id" = $4::int4)
    AND _0."id" = $5::uuid RETURNING _0."owner_id", _0."tags", _0."marks", _0."moods", (CASE WHEN (_0."owner_id" = $4::int4
        AND _0."label" IS DISTINCT
        FROM 'bad'
        AND coalesce(_0."count_int", 0) < 1000000) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool AS "_judged") SELECT array(SELECT row(_2."tags", _2."marks", to_json(_2."moods")::text)
    FROM _1 AS _2
    WHERE (_2."owner_id" = $4::int4));
-- $1: "9" of the document
-- $2: "very sharp" of the document
-- $3: "sad" of the document
-- $4: session value user_id, Int
-- $5: "00000000-0000-0000-0000-00000000000a" of the document
-- $6: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "tags" = array_append(_0."tags", $1::text)
    WHERE (_0."owner_id" = $2::int4)
    AND _0."id" = $3::uuid RETURNING _0."owner_id", _0."tags", (CASE WHEN (_0."owner_id" = $2::int4
        AND _0."label" IS DISTINCT
        FROM 'bad'
        AND coalesce(_0."count_int", 0) < 1000000) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT array(SELECT row(_2."tags")
    FROM _1 AS _2
    WHERE (_2."owner_id" = $2::int4));
-- $1: "first" of the document
-- $2: session value user_id, Int
-- $3: "00000000-0000-0000-0000-00000000000b" of the document
-- $4: the word of alarm 1.
-- _0 public.assets: permissions.toml:609: owner_id = session.user_id
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
