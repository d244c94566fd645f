-- role: writer
INSERT INTO "public"."assets" AS _2 ("owner_id") SELECT _1."owner_id"
  FROM (SELECT ($1::int4)::int4 AS "owner_id", NULL::text AS "label") AS _1
  WHERE (CASE WHEN (_1."label" IS DISTINCT
      FROM 'bad') IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool RETURNING (_2."owner_id" = $1::int4), _2."label", _2."owner_id";
-- $1: session value user_id, Int
-- $2: the word of alarm 1.
-- _1 public.assets: permissions.toml:608: label IS DISTINCT FROM 'bad'
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
WITH _1 AS MATERIALIZED (SELECT ($1::int4)::int4 AS "owner_id", _0."label" AS "label", _0."_n"
    FROM unnest($2::text[]) WITH ORDINALITY AS _0("label", "_n")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."label" IS DISTINCT
              FROM 'bad') IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."assets" AS _2 ("owner_id", "label") SELECT _1."owner_id", _1."label"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) RETURNING _2."owner_id", _2."label") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_5."owner_id", _5."label")
    FROM _3 AS _5
    WHERE (_5."owner_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: label of the rows $.selectionSet.insert_assets.args.objects of the request, [String]
-- $3: the word of alarm 1.
-- _1 public.assets: permissions.toml:608: label IS DISTINCT FROM 'bad'
-- _5 public.assets: permissions.toml:607: owner_id = session.user_id
