-- role: writer
INSERT INTO "public"."remarks" AS _2 ("owner_id", "line", "stars") SELECT _1."owner_id", _1."line", _1."stars"
  FROM (SELECT ($1::int4)::int4 AS "owner_id", $2::text AS "line", $3::int2 AS "stars") AS _1
  WHERE (CASE WHEN (_1."stars" IS NULL OR _1."stars" BETWEEN 1
      AND 5) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool RETURNING (true), _2."line";
-- $1: session value user_id, Int
-- $2: line of the row $.selectionSet.addRemark.args.object of the request, String
-- $3: stars of the row $.selectionSet.addRemark.args.object of the request, smallint
-- $4: the word of alarm 1.
-- _1 public.remarks: permissions.toml:578: stars IS NULL OR stars BETWEEN 1 AND 5
-- _2 public.remarks: permissions.toml:577: true
INSERT INTO "public"."remarks" AS _2 ("owner_id", "line") SELECT _1."owner_id", _1."line"
  FROM (SELECT ($1::int4)::int4 AS "owner_id", $2::text AS "line", NULL::int2 AS "stars") AS _1
  WHERE (CASE WHEN (_1."stars" IS NULL OR _1."stars" BETWEEN 1
      AND 5) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool RETURNING (true), _2."line", _2."stars";
-- $1: session value user_id, Int
-- $2: line of the row $.selectionSet.addRemark.args.object of the request, String
-- $3: the word of alarm 1.
-- _1 public.remarks: permissions.toml:578: stars IS NULL OR stars BETWEEN 1 AND 5
-- _2 public.remarks: permissions.toml:577: true
INSERT INTO "public"."remarks" AS _2 ("owner_id", "line", "stars") SELECT _1."owner_id", _1."line", _1."stars"
  FROM (SELECT ($1::int4)::int4 AS "owner_id", $2::text AS "line", $3::int2 AS "stars") AS _1
  WHERE (CASE WHEN (_1."stars" IS NULL OR _1."stars" BETWEEN 1
      AND 5) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool RETURNING (true), _2."stars";
-- $1: session value user_id, Int
-- $2: line of the row $.selectionSet.insertRemarksOne.args.object of the request, String
-- $3: stars of the row $.selectionSet.insertRemarksOne.args.object of the request, smallint
-- $4: the word of alarm 1.
-- _1 public.remarks: permissions.toml:578: stars IS NULL OR stars BETWEEN 1 AND 5
-- _2 public.remarks: permissions.toml:577: true
