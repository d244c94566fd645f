-- role: writer
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label", "amount", "made_by") SELECT _1."id", _1."owner_id", _1."label", _1."amount", _1."made_by"
    FROM (SELECT $1::int4 AS "id", $2::int4 AS "owner_id", $3::text AS "label", (1)::int4 AS "amount", ($4::int4)::int4 AS "made_by") AS _1
    WHERE (CASE WHEN (_1."owner_id" = $4::int4
        AND _1."amount" < 100) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool ON CONFLICT ("id") DO NOTHING RETURNING _2."id", _2."owner_id") SELECT array(SELECT row(_4."id")
    FROM _3 AS _4
    WHERE (_4."owner_id" = $4::int4));
-- $1: id of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $2: ownerId of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $3: label of the row $.selectionSet.insertShelvesOne.args.object of the request, String
-- $4: session value user_id, Int
-- $5: the word of alarm 1.
-- _1 public.shelves: permissions.toml:584: owner_id = session.user_id AND amount < 100
-- _4 public.shelves: permissions.toml:583: owner_id = session.user_id
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."owner_id" AS "owner_id", _0."label" AS "label", (1)::int4 AS "amount", ($1::int4)::int4 AS "made_by", _0."_n"
    FROM unnest($2::int4[], $3::int4[], $4::text[]) WITH ORDINALITY AS _0("id", "owner_id", "label", "_n")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."owner_id" = $1::int4
              AND _1."amount" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label", "amount", "made_by") SELECT _1."id", _1."owner_id", _1."label", _1."amount", _1."made_by"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) ON CONFLICT ("id") DO NOTHING RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $4: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
-- $5: the word of alarm 1.
-- _1 public.shelves: permissions.toml:584: owner_id = session.user_id AND amount < 100

-- role: owner
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label") VALUES ($1::int4, $2::int4, $3::text) ON CONFLICT ("id") DO NOTHING RETURNING _2."id") SELECT array(SELECT row(_4."id")
    FROM _3 AS _4);
-- $1: id of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $2: ownerId of the row $.selectionSet.insertShelvesOne.args.object of the request, Int
-- $3: label of the row $.selectionSet.insertShelvesOne.args.object of the request, String
-- _4 public.shelves: permissions.toml:589: true
WITH _3 AS (INSERT INTO "public"."shelves" AS _2 ("id", "owner_id", "label") SELECT _0."id", _0."owner_id", _0."label"
    FROM unnest($1::int4[], $2::int4[], $3::text[]) AS _0("id", "owner_id", "label") ON CONFLICT ("id") DO NOTHING RETURNING 1) SELECT ((SELECT count(*)
      FROM _3));
-- $1: id of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $2: ownerId of the rows $.selectionSet.insertShelves.args.objects of the request, [Int]
-- $3: label of the rows $.selectionSet.insertShelves.args.objects of the request, [String]
