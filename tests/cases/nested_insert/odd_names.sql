-- role: admin
WITH _1 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."odd_names"', '_n'))::int4 AS "_n", _0."_ok" AS "_ok", _0."_n_", _0."_p_"
    FROM unnest($1::varchar[], $2::int8[]) WITH ORDINALITY AS _0("_ok", "_p_", "_n_")), _7 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."odd_names"', '_n'))::int4 AS "_n", NULL::int4 AS "_p", _4."_ok" AS "_ok", _4."_n_"
    FROM unnest($3::varchar[], $4::int8[]) AS _4("_ok", "_n_") UNION ALL SELECT nextval(pg_get_serial_sequence('"public"."odd_names"', '_n'))::int4 AS "_n", _5."_n" AS "_p", _6."_ok" AS "_ok", _6."_n_"
    FROM unnest($5::varchar[], $6::int8[]) AS _6("_ok", "_n_") JOIN _1 AS _5 ON _5."_p_" = _6."_n_"
    ORDER BY "_n_"), _12 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."odd_names"', '_n'))::int4 AS "_n", _10."_n" AS "_p", _11."_ok" AS "_ok", _11."_n_", _11."_p_"
    FROM unnest($7::varchar[], $8::int8[]) WITH ORDINALITY AS _11("_ok", "_p_", "_n_") JOIN _7 AS _10 ON _10."_n_" = _11."_p_"
    ORDER BY "_n_"), _17 AS MATERIALIZED (SELECT _15."_n" AS "_p", _16."_ok" AS "_ok", _16."excluded" AS "excluded", _16."_n_", _16."_p_"
    FROM unnest($9::varchar[], $10::int4[], $11::int8[]) WITH ORDINALITY AS _16("_ok", "excluded", "_p_", "_n_") JOIN _12 AS _15 ON _15."_n_" = _16."_p_"
    ORDER BY "_n_"), _3 AS (INSERT INTO "public"."odd_names" AS _2 ("_n", "_ok") OVERRIDING SYSTEM VALUE SELECT _1."_n", _1."_ok"
    FROM _1 RETURNING 1), _9 AS (INSERT INTO "public"."odd_names" AS _8 ("_n", "_p", "_ok") OVERRIDING SYSTEM VALUE SELECT _7."_n", _7."_p", _7."_ok"
    FROM _7 RETURNING _8."_n"), _14 AS (INSERT INTO "public"."odd_names" AS _13 ("_n", "_p", "_ok") OVERRIDING SYSTEM VALUE SELECT _12."_n", _12."_p", _12."_ok"
    FROM _12 RETURNING 1), _19 AS (INSERT INTO "public"."odd_names" AS _18 ("_p", "_ok", "excluded") SELECT _17."_p", _17."_ok", _17."excluded"
    FROM _17 RETURNING 1) SELECT set_config('postern.s20', ((SELECT count(*)
        FROM _3) + (SELECT count(*)
        FROM _9) + (SELECT count(*)
        FROM _14) + (SELECT count(*)
        FROM _19))::text, true) IS NOT NULL, set_config('postern.s21', coalesce((SELECT array_agg(_22."_n"::text)::text
        FROM _9 AS _22), '{}'), true) IS NOT NULL;
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects.parent.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertOddNames.args.objects.parent.data come with
-- $3: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $4: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $5: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $6: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $7: _ok of the rows $.selectionSet.insertOddNames.args.objects.children.data of the request, [String]
-- $8: the rows that rows of $.selectionSet.insertOddNames.args.objects.children.data come with
-- $9: _ok of the rows $.selectionSet.insertOddNames.args.objects.children.data.children.data of the request, [String]
-- $10: excluded of the rows $.selectionSet.insertOddNames.args.objects.children.data.children.data of the request, [Int]
-- $11: the rows that rows of $.selectionSet.insertOddNames.args.objects.children.data.children.data come with
SELECT (current_setting('postern.s20', true)::int8), array(SELECT row(_23."_ok", _23."excluded", _24."_n" IS NOT NULL, _24."_ok", array(SELECT row(_25."_ok", array(SELECT row(_26."_ok", _26."excluded")
            FROM "public"."odd_names" AS _26
            WHERE _26."_p" = _25."_n"))
        FROM "public"."odd_names" AS _25
        WHERE _25."_p" = _23."_n"
        ORDER BY _25."_ok"))
    FROM (SELECT _23."_n", _23."_p", _23."_ok", _23."excluded", "k"."place" AS "_place"
      FROM "public"."odd_names" AS _23 JOIN unnest(current_setting('postern.s21', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _23."_n" = "k"."k0"::int4) AS _23
    LEFT JOIN "public"."odd_names" AS _24 ON _24."_n" = _23."_p"
    ORDER BY _23."_place");
-- _26 public.odd_names: every row
-- _25 public.odd_names: every row
-- _23 public.odd_names: every row
-- _24 public.odd_names: every row

-- role: writer
WITH _1 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."odd_names"', '_n'))::int4 AS "_n", _0."_ok" AS "_ok", (7)::int4 AS "excluded", _0."_n_", _0."_p_"
    FROM unnest($1::varchar[], $2::int8[]) WITH ORDINALITY AS _0("_ok", "_p_", "_n_")), _7 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."odd_names"', '_n'))::int4 AS "_n", NULL::int4 AS "_p", _4."_ok" AS "_ok", (7)::int4 AS "excluded", _4."_n_"
    FROM unnest($3::varchar[], $4::int8[]) AS _4("_ok", "_n_") UNION ALL SELECT nextval(pg_get_serial_sequence('"public"."odd_names"', '_n'))::int4 AS "_n", _5."_n" AS "_p", _6."_ok" AS "_ok", (7)::int4 AS "excluded", _6."_n_"
    FROM unnest($5::varchar[], $6::int8[]) AS _6("_ok", "_n_") JOIN _1 AS _5 ON _5."_p_" = _6."_n_"
    ORDER BY "_n_"), _12 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."odd_names"', '_n'))::int4 AS "_n", _10."_n" AS "_p", _11."_ok" AS "_ok", (7)::int4 AS "excluded", _11."_n_", _11."_p_"
    FROM unnest($7::varchar[], $8::int8[]) WITH ORDINALITY AS _11("_ok", "_p_", "_n_") JOIN _7 AS _10 ON _10."_n_" = _11."_p_"
    ORDER BY "_n_"), _17 AS MATERIALIZED (SELECT _15."_n" AS "_p", _16."_ok" AS "_ok", _16."excluded" AS "excluded", _16."_n_", _16."_p_"
    FROM unnest($9::varchar[], $10::int4[], $11::int8[]) WITH ORDINALITY AS _16("_ok", "excluded", "_p_", "_n_") JOIN _12 AS _15 ON _15."_n_" = _16."_p_"
    ORDER BY "_n_"), _20 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."_ok" <> 'bad'
              AND _1."excluded" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $12::text) END)::bool
      FROM _1)
    AND (SELECT (CASE WHEN (bool_and((_7."_ok" <> 'bad'
              AND _7."excluded" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $13::text) END)::bool
      FROM _7)
    AND (SELECT (CASE WHEN (bool_and((_12."_ok" <> 'bad'
              AND _12."excluded" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $14::text) END)::bool
      FROM _12)
    AND (SELECT (CASE WHEN (bool_and((_17."_ok" <> 'bad'
              AND _17."excluded" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $15::text) END)::bool
      FROM _17) AS "ok"), _3 AS (INSERT INTO "public"."odd_names" AS _2 ("_n", "_ok", "excluded") OVERRIDING SYSTEM VALUE SELECT _1."_n", _1."_ok", _1."excluded"
    FROM _1
    WHERE (SELECT _20."ok"
      FROM _20) RETURNING 1, (CASE WHEN (_2."_ok" <> 'bad'
        AND _2."excluded" < 100) IS TRUE THEN 't' ELSE (SELECT $16::text) END)::bool AS "_ok_"), _9 AS (INSERT INTO "public"."odd_names" AS _8 ("_n", "_p", "_ok", "excluded") OVERRIDING SYSTEM VALUE SELECT _7."_n", _7."_p", _7."_ok", _7."excluded"
    FROM _7
    WHERE (SELECT _20."ok"
      FROM _20) RETURNING _8."_n", (CASE WHEN (_8."_ok" <> 'bad'
        AND _8."excluded" < 100) IS TRUE THEN 't' ELSE (SELECT $17::text) END)::bool AS "_ok_"), _14 AS (INSERT INTO "public"."odd_names" AS _13 ("_n", "_p", "_ok", "excluded") OVERRIDING SYSTEM VALUE SELECT _12."_n", _12."_p", _12."_ok", _12."excluded"
    FROM _12
    WHERE (SELECT _20."ok"
      FROM _20) RETURNING 1, (CASE WHEN (_13."_ok" <> 'bad'
        AND _13."excluded" < 100) IS TRUE THEN 't' ELSE (SELECT $18::text) END)::bool AS "_ok_"), _19 AS (INSERT INTO "public"."odd_names" AS _18 ("_p", "_ok", "excluded") SELECT _17."_p", _17."_ok", _17."excluded"
    FROM _17
    WHERE (SELECT _20."ok"
      FROM _20) RETURNING 1, (CASE WHEN (_18."_ok" <> 'bad'
        AND _18."excluded" < 100) IS TRUE THEN 't' ELSE (SELECT $19::text) END)::bool AS "_ok_") SELECT set_config('postern.s21', ((SELECT count(*)
        FROM _3) + (SELECT count(*)
        FROM _9) + (SELECT count(*)
        FROM _14) + (SELECT count(*)
        FROM _19))::text, true) IS NOT NULL, set_config('postern.s22', coalesce((SELECT array_agg(_23."_n"::text)::text
        FROM _9 AS _23), '{}'), true) IS NOT NULL;
-- $1: _ok of the rows $.selectionSet.insertOddNames.args.objects.parent.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertOddNames.args.objects.parent.data come with
-- $3: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $4: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $5: _ok of the rows $.selectionSet.insertOddNames.args.objects of the request, [String]
-- $6: the numbers of the rows $.selectionSet.insertOddNames.args.objects
-- $7: _ok of the rows $.selectionSet.insertOddNames.args.objects.children.data of the request, [String]
-- $8: the rows that rows of $.selectionSet.insertOddNames.args.objects.children.data come with
-- $9: _ok of the rows $.selectionSet.insertOddNames.args.objects.children.data.children.data of the request, [String]
-- $10: excluded of the rows $.selectionSet.insertOddNames.args.objects.children.data.children.data of the request, [Int]
-- $11: the rows that rows of $.selectionSet.insertOddNames.args.objects.children.data.children.data come with
-- $12: the word of alarm 1.
-- $13: the word of alarm 2.
-- $14: the word of alarm 3.
-- $15: the word of alarm 4.
-- $16: the word of alarm 5.
-- $17: the word of alarm 6.
-- $18: the word of alarm 7.
-- $19: the word of alarm 8.
-- _1 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _7 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _12 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _17 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _2 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _8 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _13 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
-- _18 public.odd_names: permissions.toml:704: "_ok" <> 'bad' AND excluded < 100
SELECT (current_setting('postern.s21', true)::int8), array(SELECT row(_24."_ok", _24."excluded", _25."_n" IS NOT NULL, _25."_ok", array(SELECT row(_26."_ok", array(SELECT row(_27."_ok", _27."excluded")
            FROM "public"."odd_names" AS _27
            WHERE _27."_p" = _26."_n"))
        FROM "public"."odd_names" AS _26
        WHERE _26."_p" = _24."_n"
        ORDER BY _26."_ok"))
    FROM (SELECT _24."_n", _24."_p", _24."_ok", _24."excluded", "k"."place" AS "_place"
      FROM "public"."odd_names" AS _24 JOIN unnest(current_setting('postern.s22', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _24."_n" = "k"."k0"::int4) AS _24
    LEFT JOIN "public"."odd_names" AS _25 ON _25."_n" = _24."_p"
    ORDER BY _24."_place");
-- _27 public.odd_names: permissions.toml:703: true
-- _26 public.odd_names: permissions.toml:703: true
-- _24 public.odd_names: permissions.toml:703: true
-- _25 public.odd_names: permissions.toml:703: true
