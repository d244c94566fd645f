-- role: customer
SELECT _0."id"
  FROM "public"."items" AS _0
  WHERE (_0."owner_id" = $1::int4)
  AND _0."span" OPERATOR(pg_catalog.@>) $2::int4range;
-- $1: session value user_id, Int
-- $2: "[1," of the document
-- _0 public.items: permissions.toml:315: owner_id = session.user_id
