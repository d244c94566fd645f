-- role: customer
SELECT _0."label"
  FROM "public"."labels" AS _0
  WHERE (_0."label" = ANY($1::text[]))
  ORDER BY _0."id";
-- $1: session value labels, _text
-- _0 public.labels: permissions.toml:86: label = ANY (session.labels)
