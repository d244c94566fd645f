-- role: admin
SELECT _0."id", _0."status"::text
  FROM "public"."or""ders" AS _0
  WHERE (((_0."id" = $1::int8)) OR ((((_0."status" = $2::text::"public"."Order Status"))
        AND (NOT (((_0."Total Amount" > $3::numeric)))))))
  AND NOT (((((_0."na""me" = $4::text)) OR (NOT (((_0."placed_on" < $5::date)))))))
  AND _0."id" >= $6::int8
  AND _0."id" < $7::int8
  AND _0."placed_on" <> $8::date
  ORDER BY _0."id";
-- $1: "10" of the document
-- $2: "it's paid" of the document
-- $3: "100" of the document
-- $4: "nobody" of the document
-- $5: "2030-01-01" of the document
-- $6: "1" of the document
-- $7: "9007199254740993" of the document
-- $8: "1999-01-01" of the document
-- _0 public.or"ders: every row

-- role: customer
SELECT _0."id", _0."status"::text
  FROM (SELECT _0."id", _0."Total Amount", _0."na""me", _0."status", _0."placed_on"
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)
    AND NOT (((((_0."na""me" = $2::text)) OR (NOT (((_0."placed_on" < $3::date)))))))
    AND _0."id" >= $4::int8
    AND _0."id" < $5::int8
    AND _0."placed_on" <> $6::date
    OFFSET 0) AS _0
  WHERE (((_0."id" = $7::int8)) OR ((((_0."status" = $8::text::"public"."Order Status"))
        AND (NOT (((_0."Total Amount" > (SELECT $9::numeric))))))))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "nobody" of the document
-- $3: "2030-01-01" of the document
-- $4: "1" of the document
-- $5: "9007199254740993" of the document
-- $6: "1999-01-01" of the document
-- $7: "10" of the document
-- $8: "it's paid" of the document
-- $9: "100" of the document
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
