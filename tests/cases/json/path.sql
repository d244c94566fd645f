-- role: admin
SELECT (_0."attributes" #> $1::text[]), (_0."attributes" #> $2::text[]), (_0."attributes" #> $3::text[]), (_0."attributes" #> $3::text[]), (_0."attributes" #> $4::text[]), (_0."attributes" #> $5::text[]), (_0."attributes" #> $6::text[]), _0."attributes", _0."attributes"
  FROM "public"."products" AS _0
  ORDER BY _0."id";
-- $1: "{}" of the document
-- $2: "{\"colour\"}" of the document
-- $3: "{\"nested\",\"a\"}" of the document
-- $4: "{\"nested\",\"b\",\"3\"}" of the document
-- $5: $.selectionSet.products.selectionSet.props.args.path of the request, String, a path into JSON
-- $6: $.selectionSet.products.selectionSet.props.args.path of the request, String, a path into JSON
-- _0 public.products: every row

-- role: customer
SELECT (_0."attributes" #> $1::text[]), (_0."attributes" #> $2::text[]), (_0."attributes" #> $3::text[]), (_0."attributes" #> $3::text[]), (_0."attributes" #> $4::text[]), (_0."attributes" #> $5::text[]), (_0."attributes" #> $6::text[]), _0."attributes", _0."attributes"
  FROM "public"."products" AS _0
  WHERE (NOT _0."hidden")
  ORDER BY _0."id";
-- $1: "{}" of the document
-- $2: "{\"colour\"}" of the document
-- $3: "{\"nested\",\"a\"}" of the document
-- $4: "{\"nested\",\"b\",\"3\"}" of the document
-- $5: $.selectionSet.products.selectionSet.props.args.path of the request, String, a path into JSON
-- $6: $.selectionSet.products.selectionSet.props.args.path of the request, String, a path into JSON
-- _0 public.products: permissions.toml:74: NOT hidden
