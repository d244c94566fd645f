-- role: writer
INSERT INTO "public"."assets" AS _2 ("owner_id") SELECT _1."owner_id"
  FROM (SELECT ($1::int4)::int4 AS "owner_id", NULL::text AS "label") AS _1
  WHERE (CASE WHEN (_1."label" IS DISTINCT
      FROM 'bad') IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool RETURNING (_2."owner_id" = $1::int4), _2."label", _2."owner_id";
-- $1: session value user_id, Int
-- $2: the word of alarm 1.
-- _1 public.assets: permissions.toml:608: label IS DISTINCT FROM 'bad'
-- _2 public.assets: permissions.toml:607: owner_id = session.user_id
WITH _5 AS MATERIALIZED (SELECT ($1::int4)::int4 AS "owner_id", _4."label" AS "label", _4."_n"
    FROM unnest($2::text[]) WITH ORDINALITY AS _4("label", "_n")), _8 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_5."label" IS DISTINCT
              FROM 'bad') IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _5) AS "ok"), _7 AS (INSERT INTO "public"."assets" AS _6 ("owner_id", "label") SELECT _5."owner_id", _5."label"
    FROM _5
    WHERE (SELECT _8."ok"
      FROM _8) RETURNING _6."owner_id", _6."label") SELECT ((SELECT count(*)
      FROM _7)), array(SELECT row(_9."owner_id", _9."label")
    FROM _7 AS _9
    WHERE (_9."owner_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: label of the rows $.selectionSet.insert_assets.args.objects of the request, [String]
-- $3: the word of alarm 1.
-- _5 public.assets: permissions.toml:608: label IS DISTINCT FROM 'bad'
-- _9 public.assets: permissions.toml:607: owner_id = session.user_id
