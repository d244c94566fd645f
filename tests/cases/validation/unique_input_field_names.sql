-- role: admin
SELECT _0."id"
  FROM "public"."teams" AS _0
  WHERE (((_0."id" = $1::int4)) OR ((_0."id" = $2::int4)));
-- $1: "1" of the document
-- $2: "2" of the document
-- _0 public.teams: every row
