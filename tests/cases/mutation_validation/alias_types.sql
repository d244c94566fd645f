-- role: writer
WITH _3 AS (INSERT INTO "public"."remarks" AS _2 ("owner_id", "line", "stars") SELECT _1."owner_id", _1."line", _1."stars"
    FROM (SELECT (($1::int4)::int4)::int4 AS "owner_id", $2::text AS "line", $3::int2 AS "stars") AS _1
    WHERE (CASE WHEN (_1."stars" IS NULL OR _1."stars" BETWEEN 1
        AND 5) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool RETURNING _2."line") SELECT array(SELECT row(_4."line")
    FROM _3 AS _4);
-- $1: session value user_id, Int
-- $2: line of the row $.selectionSet.addRemark.args.object of the request, String
-- $3: stars of the row $.selectionSet.addRemark.args.object of the request, smallint
-- $4: the word of alarm 1.
-- _1 public.remarks: permissions.toml:578: stars IS NULL OR stars BETWEEN 1 AND 5
-- _4 public.remarks: permissions.toml:577: true
WITH _8 AS (INSERT INTO "public"."remarks" AS _7 ("owner_id", "line") SELECT _6."owner_id", _6."line"
    FROM (SELECT (($1::int4)::int4)::int4 AS "owner_id", $2::text AS "line", NULL::int2 AS "stars") AS _6
    WHERE (CASE WHEN (_6."stars" IS NULL OR _6."stars" BETWEEN 1
        AND 5) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool RETURNING _7."line", _7."stars") SELECT array(SELECT row(_9."line", _9."stars")
    FROM _8 AS _9);
-- $1: session value user_id, Int
-- $2: line of the row $.selectionSet.addRemark.args.object of the request, String
-- $3: the word of alarm 1.
-- _6 public.remarks: permissions.toml:578: stars IS NULL OR stars BETWEEN 1 AND 5
-- _9 public.remarks: permissions.toml:577: true
WITH _13 AS (INSERT INTO "public"."remarks" AS _12 ("owner_id", "line", "stars") SELECT _11."owner_id", _11."line", _11."stars"
    FROM (SELECT (($1::int4)::int4)::int4 AS "owner_id", $2::text AS "line", $3::int2 AS "stars") AS _11
    WHERE (CASE WHEN (_11."stars" IS NULL OR _11."stars" BETWEEN 1
        AND 5) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool RETURNING _12."stars") SELECT array(SELECT row(_14."stars")
    FROM _13 AS _14);
-- $1: session value user_id, Int
-- $2: line of the row $.selectionSet.insertRemarksOne.args.object of the request, String
-- $3: stars of the row $.selectionSet.insertRemarksOne.args.object of the request, smallint
-- $4: the word of alarm 1.
-- _11 public.remarks: permissions.toml:578: stars IS NULL OR stars BETWEEN 1 AND 5
-- _14 public.remarks: permissions.toml:577: true
