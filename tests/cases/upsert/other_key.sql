-- role: writer
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label", "amount", "made_by") SELECT _1."id", _1."owner_id", _1."label", _1."amount", _1."made_by"
    FROM (SELECT $1::int4 AS "id", $2::int4 AS "owner_id", $3::text AS "label", $4::int4 AS "amount", ($5::int4)::int4 AS "made_by") AS _1
    WHERE (CASE WHEN (_1."owner_id" = $5::int4
        AND _1."amount" < 100) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool ON CONFLICT ("label") DO UPDATE SET "amount" = excluded."amount", "touched_by" = ($5::int4)::int4
    WHERE CASE WHEN (_2."owner_id" = $5::int4
      AND _2."amount" > 0) THEN (CASE WHEN (_2."owner_id" = $5::int4
        AND excluded."amount" <= 60) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool ELSE false END RETURNING _2."id", _2."owner_id", _2."label", _2."amount", _2."touched_by") SELECT array(SELECT row(_4."id", _4."label", _4."amount", _4."touched_by")
    FROM _3 AS _4
    WHERE (_4."owner_id" = $5::int4));
-- $1: id of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $2: ownerId of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $3: label of the row $.selectionSet.insertShelvesOne.args.object of the request, String
-- $4: amount of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $5: session value user_id, Int
-- $6: the word of alarm 1.
-- $7: the word of alarm 2.
-- _1 public.shelves: permissions.toml:584: owner_id = session.user_id AND amount < 100
-- _2 public.shelves: permissions.toml:585: owner_id = session.user_id AND amount <= 60
-- _2 public.shelves: permissions.toml:585: owner_id = session.user_id AND amount > 0
-- _4 public.shelves: permissions.toml:583: owner_id = session.user_id
