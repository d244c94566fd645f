-- role: limited
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."name" AS "name", _0."_n", _0."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _0("id", "name", "_p", "_n")), _6 AS MATERIALIZED (SELECT _5."id" AS "id", _5."name" AS "name", _4."id" AS "boss_id", _5."_n", _5."_p"
    FROM unnest($4::int4[], $5::text[], $6::int8[]) WITH ORDINALITY AS _5("id", "name", "_p", "_n") JOIN _1 AS _4 ON _4."_p" = _5."_n"
    ORDER BY "_n"), _11 AS MATERIALIZED (SELECT _10."id" AS "id", _10."name" AS "name", _9."id" AS "boss_id", _10."_n", _10."_p"
    FROM unnest($7::int4[], $8::text[], $9::int8[]) WITH ORDINALITY AS _10("id", "name", "_p", "_n") JOIN _6 AS _9 ON _9."_p" = _10."_n"
    ORDER BY "_n"), _16 AS MATERIALIZED (SELECT _15."id" AS "id", _15."name" AS "name", _14."id" AS "boss_id", _15."_n"
    FROM unnest($10::int4[], $11::text[]) WITH ORDINALITY AS _15("id", "name", "_n") JOIN _11 AS _14 ON _14."_p" = _15."_n"
    ORDER BY "_n"), _3 AS (INSERT INTO "public"."accounts" AS _2 ("id", "name") SELECT _1."id", _1."name"
    FROM _1 RETURNING 1), _8 AS (INSERT INTO "public"."accounts" AS _7 ("id", "name", "boss_id") SELECT _6."id", _6."name", _6."boss_id"
    FROM _6 RETURNING 1), _13 AS (INSERT INTO "public"."accounts" AS _12 ("id", "name", "boss_id") SELECT _11."id", _11."name", _11."boss_id"
    FROM _11 RETURNING 1), _18 AS (INSERT INTO "public"."accounts" AS _17 ("id", "name", "boss_id") SELECT _16."id", _16."name", _16."boss_id"
    FROM _16 RETURNING 1) SELECT ((SELECT count(*)
      FROM _3) + (SELECT count(*)
      FROM _8) + (SELECT count(*)
      FROM _13) + (SELECT count(*)
      FROM _18));
-- $1: id of the rows $.selectionSet.insertAccounts.args.objects.boss.data.boss.data.boss.data of the request, [Int]
-- $2: name of the rows $.selectionSet.insertAccounts.args.objects.boss.data.boss.data.boss.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertAccounts.args.objects.boss.data.boss.data.boss.data come with
-- $4: id of the rows $.selectionSet.insertAccounts.args.objects.boss.data.boss.data of the request, [Int]
-- $5: name of the rows $.selectionSet.insertAccounts.args.objects.boss.data.boss.data of the request, [String]
-- $6: the rows that rows of $.selectionSet.insertAccounts.args.objects.boss.data.boss.data come with
-- $7: id of the rows $.selectionSet.insertAccounts.args.objects.boss.data of the request, [Int]
-- $8: name of the rows $.selectionSet.insertAccounts.args.objects.boss.data of the request, [String]
-- $9: the rows that rows of $.selectionSet.insertAccounts.args.objects.boss.data come with
-- $10: id of the rows $.selectionSet.insertAccounts.args.objects of the request, [Int]
-- $11: name of the rows $.selectionSet.insertAccounts.args.objects of the request, [String]
