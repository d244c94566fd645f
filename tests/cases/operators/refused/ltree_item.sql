-- role: customer
SELECT _0."id"
  FROM (SELECT _0."id", _0."label"
    FROM "public"."items" AS _0
    WHERE (_0."owner_id" = $1::int4)
    OFFSET 0) AS _0
  WHERE _0."label" OPERATOR("ext".?) (SELECT $2::text::"ext"."lquery"[])::"ext"."lquery"[];
-- $1: session value user_id, Int
-- $2: "{\"a\",\"b c d\"}" of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
