-- role: public
SELECT "public"."add_up"($1::int4, $2::int4, $3::int4), "public"."add_up"($1::int4), "public"."add_up"($1::int4, "c" => $4::int4), "public"."add_up"($5::int4);
-- $1: "1" of the document
-- $2: "2" of the document
-- $3: "3" of the document
-- $4: "0" of the document
-- $5: $.selectionSet.addUp.args.args.a of the request, Int, or null

-- role: customer
SELECT "public"."add_up"($1::int4, $2::int4, $3::int4), "public"."add_up"($1::int4), "public"."add_up"($1::int4, "c" => $4::int4), "public"."add_up"($5::int4);
-- $1: "1" of the document
-- $2: "2" of the document
-- $3: "3" of the document
-- $4: "0" of the document
-- $5: $.selectionSet.addUp.args.args.a of the request, Int, or null
