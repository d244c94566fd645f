-- role: public
SELECT "public"."days_between"($1::date), "public"."days_between"($2::date, $3::date, $4::date), "public"."label_sum"($5::text, $6::int4), "public"."label_sum"($5::text, $7::int4, $8::int4);
-- $1: $.selectionSet.daysBetween.args.args.arg1 of the request, date, or null
-- $2: "2024-02-01" of the document
-- $3: "2024-01-31" of the document
-- $4: $.selectionSet.daysBetween.args.args.arg3 of the request, date, or null
-- $5: "n" of the document
-- $6: $.selectionSet.labelSum.args.args.arg2 of the request, Int, or null
-- $7: "1" of the document
-- $8: "2" of the document
