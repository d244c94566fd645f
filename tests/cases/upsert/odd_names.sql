-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."_ok" AS "_ok", _0."excluded" AS "excluded", _0."_n_"
    FROM unnest($1::varchar[], $2::int4[]) WITH ORDINALITY AS _0("_ok", "excluded", "_n_")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."_ok" <> 'bad'
              AND _1."excluded" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."odd_names" AS _2 ("_ok", "excluded") SELECT _1."_ok", _1."excluded"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) ON CONFLICT ("_ok") DO UPDATE SET "excluded" = excluded."excluded"
    WHERE CASE WHEN (_2."_updated" IS NOT NULL) THEN (CASE WHEN (excluded."excluded" < 50) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool ELSE false END RETURNING _2."_ok", _2."excluded", CASE WHEN _2.xmax = 0 THEN (CASE WHEN (_2."_ok" <> 'bad'
        AND _2."excluded" < 100) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool ELSE true END AS "_ok_", _2.xmax <> 0 AS "_updated_") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_5."_ok", _5."excluded")
    FROM _3 AS _5)
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3
          WHERE _3."_updated_")) <= 1) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $2: excluded of the rows $.selectionSet.insertOddNames.args.objects of the request, [Int]
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- $5: the word of alarm 3.
-- $6: the word of alarm 4.
-- _1 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _2 public.odd_names: permissions.toml:705: excluded < 50
-- _2 public.odd_names: permissions.toml:705: "_updated" IS NOT NULL
-- _2 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _5 public.odd_names: permissions.toml:703: true
