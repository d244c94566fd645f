-- role: owner
SELECT "public"."label_sum"($1::text, $2::int4, $3::int4);
-- $1: "n" of the document
-- $2: "1" of the document
-- $3: "2" of the document
