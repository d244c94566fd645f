-- role: admin
WITH _2 AS MATERIALIZED (SELECT _0."_ok" AS "_ok", _0."excluded" AS "excluded", _0."_n_"
    FROM unnest($1::varchar[], $2::int4[], $3::int8[]) AS _0("_ok", "excluded", "_n_") UNION ALL SELECT _1."_ok" AS "_ok", (7)::int4 AS "excluded", _1."_n_"
    FROM unnest($4::varchar[], $5::int8[]) AS _1("_ok", "_n_")
    ORDER BY "_n_"), _4 AS (INSERT INTO "public"."odd_names" AS _3 ("_ok", "excluded") SELECT _2."_ok", _2."excluded"
    FROM _2 ON CONFLICT ("_ok") DO UPDATE SET "excluded" = excluded."excluded" RETURNING _3."_n") SELECT set_config('postern.s5', coalesce((SELECT array_agg(_6."_n"::text)::text
        FROM _4 AS _6), '{}'), true) IS NOT NULL, set_config('postern.s7', ((SELECT count(*)
        FROM _4))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _4)) = ((SELECT count(*)
          FROM _2))) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $2: excluded of the rows $.selectionSet.insertOddNames.args.objects of the request, [Int]
-- $3: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $4: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $5: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $6: the word of alarm 1.
-- _3 public.odd_names: every row
WITH _10 AS MATERIALIZED (SELECT _8."_n"::int4 AS "_p", _9."_ok" AS "_ok", _9."_n_", _9."_p_"
    FROM unnest($1::varchar[], $2::int8[]) WITH ORDINALITY AS _9("_ok", "_p_", "_n_") JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS _8("_n", "_n_") ON _8."_n_" = _9."_p_"
    ORDER BY "_n_"), _12 AS (INSERT INTO "public"."odd_names" AS _11 ("_p", "_ok") SELECT _10."_p", _10."_ok"
    FROM _10 RETURNING 1) SELECT set_config('postern.s13', ((SELECT count(*)
        FROM _12))::text, true) IS NOT NULL;
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects.children.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertOddNames.args.objects.children.data come with
SELECT (current_setting('postern.s7', true)::int8 + current_setting('postern.s13', true)::int8), array(SELECT row(_14."_ok", _14."excluded", array(SELECT row(_15."_ok")
        FROM "public"."odd_names" AS _15
        WHERE _15."_p" = _14."_n"
        ORDER BY _15."_ok"))
    FROM (SELECT _14."_n", _14."_ok", _14."excluded", "k"."place" AS "_place"
      FROM "public"."odd_names" AS _14 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _14."_n" = "k"."k0"::int4) AS _14
    ORDER BY _14."_place");
-- _15 public.odd_names: every row
-- _14 public.odd_names: every row

-- role: writer
WITH _2 AS MATERIALIZED (SELECT _0."_ok" AS "_ok", _0."excluded" AS "excluded", _0."_n_"
    FROM unnest($1::varchar[], $2::int4[], $3::int8[]) AS _0("_ok", "excluded", "_n_") UNION ALL SELECT _1."_ok" AS "_ok", (7)::int4 AS "excluded", _1."_n_"
    FROM unnest($4::varchar[], $5::int8[]) AS _1("_ok", "_n_")
    ORDER BY "_n_"), _7 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_2."_ok" <> 'bad'
              AND _2."excluded" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool
      FROM _2) AS "ok"), _4 AS (INSERT INTO "public"."odd_names" AS _3 ("_ok", "excluded") SELECT _2."_ok", _2."excluded"
    FROM _2
    WHERE (SELECT _7."ok"
      FROM _7) ON CONFLICT ("_ok") DO UPDATE SET "excluded" = excluded."excluded"
    WHERE CASE WHEN (_3."_updated" IS NOT NULL) THEN (CASE WHEN (excluded."excluded" < 50) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool ELSE false END RETURNING _3."_n", CASE WHEN _3.xmax = 0 THEN (CASE WHEN (_3."_ok" <> 'bad'
        AND _3."excluded" < 100) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool ELSE true END AS "_ok_", _3.xmax <> 0 AS "_updated_") SELECT set_config('postern.s5', coalesce((SELECT array_agg(_6."_n"::text)::text
        FROM _4 AS _6), '{}'), true) IS NOT NULL, set_config('postern.s8', ((SELECT count(*)
        FROM _4))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _4
          WHERE _4."_updated_")) <= 1) IS TRUE THEN 't' ELSE (SELECT $9::text) END)::bool
  AND (CASE WHEN (((SELECT count(*)
          FROM _4)) = ((SELECT count(*)
          FROM _2))) IS TRUE THEN 't' ELSE (SELECT $10::text) END)::bool;
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $2: excluded of the rows $.selectionSet.insertOddNames.args.objects of the request, [Int]
-- $3: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $4: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $5: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $6: the word of alarm 1.
-- $7: the word of alarm 2.
-- $8: the word of alarm 3.
-- $9: the word of alarm 4.
-- $10: the word of alarm 5.
-- _2 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _3 public.odd_names: permissions.toml:705: excluded < 50
-- _3 public.odd_names: permissions.toml:705: "_updated" IS NOT NULL
-- _3 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
WITH _11 AS MATERIALIZED (SELECT _9."_n"::int4 AS "_p", _10."_ok" AS "_ok", (7)::int4 AS "excluded", _10."_n_", _10."_p_"
    FROM unnest($1::varchar[], $2::int8[]) WITH ORDINALITY AS _10("_ok", "_p_", "_n_") JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS _9("_n", "_n_") ON _9."_n_" = _10."_p_"
    ORDER BY "_n_"), _14 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_11."_ok" <> 'bad'
              AND _11."excluded" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool
      FROM _11) AS "ok"), _13 AS (INSERT INTO "public"."odd_names" AS _12 ("_p", "_ok", "excluded") SELECT _11."_p", _11."_ok", _11."excluded"
    FROM _11
    WHERE (SELECT _14."ok"
      FROM _14) RETURNING 1, (CASE WHEN (_12."_ok" <> 'bad'
        AND _12."excluded" < 100) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_ok_") SELECT set_config('postern.s15', ((SELECT count(*)
        FROM _13))::text, true) IS NOT NULL;
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects.children.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertOddNames.args.objects.children.data come with
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _11 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _12 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
SELECT (current_setting('postern.s8', true)::int8 + current_setting('postern.s15', true)::int8), array(SELECT row(_16."_ok", _16."excluded", array(SELECT row(_17."_ok")
        FROM "public"."odd_names" AS _17
        WHERE _17."_p" = _16."_n"
        ORDER BY _17."_ok"))
    FROM (SELECT _16."_n", _16."_ok", _16."excluded", "k"."place" AS "_place"
      FROM "public"."odd_names" AS _16 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _16."_n" = "k"."k0"::int4) AS _16
    ORDER BY _16."_place");
-- _17 public.odd_names: permissions.toml:703: true
-- _16 public.odd_names: permissions.toml:703: true
