-- role: writer
WITH _3 AS (INSERT INTO "public"."assets" AS _2 ("owner_id") SELECT _1."owner_id"
    FROM (SELECT (($1::int4)::int4)::int4 AS "owner_id", NULL::text AS "label") AS _1
    WHERE (CASE WHEN (_1."label" IS DISTINCT
        FROM 'bad') IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool RETURNING _2."owner_id", _2."label") SELECT array(SELECT row(_4."label", _4."owner_id")
    FROM _3 AS _4
    WHERE (_4."owner_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: the word of alarm 1.
-- _1 public.assets: permissions.toml:605: label IS DISTINCT FROM 'bad'
-- _4 public.assets: permissions.toml:604: owner_id = session.user_id
WITH _6 AS MATERIALIZED (SELECT (($1::int4)::int4)::int4 AS "owner_id", _5."label" AS "label", _5."_n"
    FROM unnest($2::text[]) WITH ORDINALITY AS _5("label", "_n")), _9 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_6."label" IS DISTINCT
              FROM 'bad') IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _6) AS "ok"), _8 AS (INSERT INTO "public"."assets" AS _7 ("owner_id", "label") SELECT _6."owner_id", _6."label"
    FROM _6
    WHERE (SELECT _9."ok"
      FROM _9) RETURNING _7."owner_id", _7."label") SELECT ((SELECT count(*)
      FROM _8)), array(SELECT row(_10."owner_id", _10."label")
    FROM _8 AS _10
    WHERE (_10."owner_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: label of the rows $.selectionSet.insert_assets.args.objects of the request, [String]
-- $3: the word of alarm 1.
-- _6 public.assets: permissions.toml:605: label IS DISTINCT FROM 'bad'
-- _10 public.assets: permissions.toml:604: owner_id = session.user_id
