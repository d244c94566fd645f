-- role: admin
WITH _2 AS MATERIALIZED (SELECT _0."_ok" AS "_ok", _0."_updated" AS "_updated", (7)::int4 AS "excluded", _0."_n_"
    FROM unnest($1::varchar[], $2::int4[], $3::int8[]) AS _0("_ok", "_updated", "_n_") UNION ALL SELECT _1."_ok" AS "_ok", NULL::int4 AS "_updated", _1."excluded" AS "excluded", _1."_n_"
    FROM unnest($4::varchar[], $5::int4[], $6::int8[]) AS _1("_ok", "excluded", "_n_")
    ORDER BY "_n_"), _4 AS (INSERT INTO "public"."odd_names" AS _3 ("_ok", "_updated", "excluded") SELECT _2."_ok", _2."_updated", _2."excluded"
    FROM _2 RETURNING _3."_ok", _3."_updated", _3."excluded") SELECT ((SELECT count(*)
      FROM _4)), array(SELECT row(_5."_ok", _5."_updated", _5."excluded")
    FROM _4 AS _5);
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $2: _updated of the rows $.selectionSet.insertOddNames.args.objects of the request, [Int]
-- $3: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $4: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $5: excluded of the rows $.selectionSet.insertOddNames.args.objects of the request, [Int]
-- $6: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- _5 public.odd_names: every row

-- role: writer
WITH _2 AS MATERIALIZED (SELECT _0."_ok" AS "_ok", _0."_updated" AS "_updated", (7)::int4 AS "excluded", _0."_n_"
    FROM unnest($1::varchar[], $2::int4[], $3::int8[]) AS _0("_ok", "_updated", "_n_") UNION ALL SELECT _1."_ok" AS "_ok", NULL::int4 AS "_updated", _1."excluded" AS "excluded", _1."_n_"
    FROM unnest($4::varchar[], $5::int4[], $6::int8[]) AS _1("_ok", "excluded", "_n_")
    ORDER BY "_n_"), _5 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_2."_ok" <> 'bad'
              AND _2."excluded" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool
      FROM _2) AS "ok"), _4 AS (INSERT INTO "public"."odd_names" AS _3 ("_ok", "_updated", "excluded") SELECT _2."_ok", _2."_updated", _2."excluded"
    FROM _2
    WHERE (SELECT _5."ok"
      FROM _5) RETURNING _3."_ok", _3."_updated", _3."excluded", (CASE WHEN (_3."_ok" <> 'bad'
        AND _3."excluded" < 100) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool AS "_ok_") SELECT ((SELECT count(*)
      FROM _4)), array(SELECT row(_6."_ok", _6."_updated", _6."excluded")
    FROM _4 AS _6);
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $2: _updated of the rows $.selectionSet.insertOddNames.args.objects of the request, [Int]
-- $3: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $4: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $5: excluded of the rows $.selectionSet.insertOddNames.args.objects of the request, [Int]
-- $6: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $7: the word of alarm 1.
-- $8: the word of alarm 2.
-- _2 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _3 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _6 public.odd_names: permissions.toml:703: true
