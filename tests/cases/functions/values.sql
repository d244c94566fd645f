-- role: customer
SELECT array(SELECT row(_0."value"::text)
    FROM "public"."next_moods"($1::text::"public"."mood") AS _0("value")), array(SELECT row(_1."value"::text)
    FROM "public"."next_moods"() AS _1("value")), "public"."whoami"($2::json), array(SELECT row(_2."street", _2."zip")
    FROM "public"."addresses_of"(VARIADIC $3::text[]) AS _2
    WHERE _2."zip" <> $4::text
    ORDER BY _2."zip" DESC), array(SELECT row(_3."low", _3."high")
    FROM "public"."corners"() AS _3
    WHERE NOT (_3.* IS NULL)
    LIMIT 1), "public"."name_of"($5::text::"public"."users", $6::text::"public"."sku"), "public"."name_of"($5::text::"public"."users");
-- $1: "ok" of the document
-- $2: the whole session
-- $3: "{\"1\",\"2\"}" of the document
-- $4: "3" of the document
-- $5: "(1,Ada,,,,,,,2024-01-01,x)" of the document
-- $6: "ZZ-9" of the document
-- _2 public.addresses_of: every row
-- _3 public.corners: every row
