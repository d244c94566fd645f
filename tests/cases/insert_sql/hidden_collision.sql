-- role: writer
INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label", "amount", "made_by") SELECT _1."id", _1."owner_id", _1."label", _1."amount", _1."made_by"
  FROM (SELECT $1::int4 AS "id", $2::int4 AS "owner_id", $3::text AS "label", (1)::int4 AS "amount", ($4::int4)::int4 AS "made_by") AS _1
  WHERE (CASE WHEN (_1."owner_id" = $4::int4
      AND _1."amount" < 100) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool RETURNING (_2."owner_id" = $4::int4), _2."id";
-- $1: id of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $2: ownerId of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $3: label of the row $.selectionSet.insertShelvesOne.args.object of the request, String
-- $4: session value user_id, Int
-- $5: the word of alarm 1.
-- _1 public.shelves: permissions.toml:584: owner_id = session.user_id AND amount < 100
-- _2 public.shelves: permissions.toml:583: owner_id = session.user_id
