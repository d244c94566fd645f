-- role: admin
SELECT _0."id", _0."na""me", _0."Total Amount", _0."status"::text
  FROM "public"."or""ders" AS _0
  WHERE _0."na""me" ~~ $1::text
  AND _0."Total Amount" >= $2::numeric
  ORDER BY _0."Total Amount" DESC, _0."na""me";
-- $1: "%\"%" of the document
-- $2: "0" of the document
-- _0 public.or"ders: every row

-- role: customer
SELECT _0."id", _0."na""me", _0."Total Amount", _0."status"::text
  FROM (SELECT _0."id", _0."Total Amount", _0."na""me", _0."status"
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)
    OFFSET 0) AS _0
  WHERE _0."na""me" ~~ (SELECT $2::text)
  AND _0."Total Amount" >= (SELECT $3::numeric)
  ORDER BY _0."Total Amount" DESC, _0."na""me";
-- $1: session value user_id, Int
-- $2: "%\"%" of the document
-- $3: "0" of the document
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
