-- role: admin
SELECT _0."id"
  FROM "public"."users" AS _0
  WHERE _0."id" = $1::int4;
-- $1: "1" of the document
-- _0 public.users: every row
