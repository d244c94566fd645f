-- role: public
SELECT "public"."label_sum"($1::text, $2::int4, $3::int4), "public"."label_sum"($4::text, $5::int4), "public"."days_between"($6::date, $7::date);
-- $1: "n" of the document
-- $2: "1" of the document
-- $3: "2" of the document
-- $4: $.selectionSet.label_sum.args.args.label of the request, String, or null
-- $5: $.selectionSet.label_sum.args.args.arg_1 of the request, Int, or null
-- $6: "2024-02-01" of the document
-- $7: "2024-01-31" of the document
