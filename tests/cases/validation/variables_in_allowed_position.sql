-- role: admin
SELECT _0."id"
  FROM "public"."teams" AS _0
  WHERE _0."id" = ANY ($1::int4[])
  LIMIT 1
  OFFSET 1;
-- $1: $.selectionSet.teams.args.where.id._in of the request, [Int!], a list
-- _0 public.teams: every row
