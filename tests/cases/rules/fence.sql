-- role: customer
SELECT _0."id", _0."ratio"
  FROM (SELECT _0."id", _0."user_id", _0."ratio"
    FROM "public"."ratios" AS _0
    WHERE (_0."user_id" = $1::int4)
    AND _0."id" <= $2::int4
    AND _0."user_id" = $3::int4
    OFFSET 0) AS _0
  WHERE _0."ratio" >= (SELECT $4::int4)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "1" of the document
-- $4: "0" of the document
-- _0 public.ratios: permissions.toml:165: user_id = session.user_id

-- role: admin
SELECT _0."id", _0."ratio"
  FROM "public"."ratios" AS _0
  WHERE _0."ratio" >= $1::int4
  AND _0."id" <= $2::int4
  AND _0."user_id" = $3::int4
  ORDER BY _0."id";
-- $1: "0" of the document
-- $2: "2" of the document
-- $3: "1" of the document
-- _0 public.ratios: every row
