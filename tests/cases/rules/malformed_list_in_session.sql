-- role: customer
SELECT _0."id"
  FROM "public"."labels" AS _0
  WHERE (_0."label" = ANY($1::text[]));
-- $1: session value labels, _text
-- _0 public.labels: permissions.toml:86: label = ANY (session.labels)
