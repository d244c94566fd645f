-- role: owner
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."name" AS "name", _0."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _0("id", "name", "_n")), _6 AS MATERIALIZED (SELECT _5."id" AS "id", _5."name" AS "name", _4."id" AS "boss_id", _5."_n", _5."_p"
    FROM unnest($3::int4[], $4::text[], $5::int8[]) WITH ORDINALITY AS _5("id", "name", "_p", "_n") JOIN _1 AS _4 ON _4."_n" = _5."_p"
    ORDER BY "_n"), _3 AS (INSERT INTO "public"."accounts" AS _2 ("id", "name") SELECT _1."id", _1."name"
    FROM _1 RETURNING _2."id"), _8 AS (INSERT INTO "public"."accounts" AS _7 ("id", "name", "boss_id") SELECT _6."id", _6."name", _6."boss_id"
    FROM _6 RETURNING 1) SELECT set_config('postern.s9', ((SELECT count(*)
        FROM _3) + (SELECT count(*)
        FROM _8))::text, true) IS NOT NULL, set_config('postern.s10', coalesce((SELECT array_agg(_11."id"::text)::text
        FROM _3 AS _11), '{}'), true) IS NOT NULL;
-- $1: id of the rows $.selectionSet.insertAccounts.args.objects of the request, [Int]
-- $2: name of the rows $.selectionSet.insertAccounts.args.objects of the request, [String]
-- $3: id of the rows $.selectionSet.insertAccounts.args.objects.staff.data of the request, [Int]
-- $4: name of the rows $.selectionSet.insertAccounts.args.objects.staff.data of the request, [String]
-- $5: the rows that rows of $.selectionSet.insertAccounts.args.objects.staff.data come with
SELECT (current_setting('postern.s9', true)::int8), array(SELECT row(_12."id", array(SELECT row(_13."id", _13."boss_id")
        FROM "public"."accounts" AS _13
        WHERE _13."boss_id" = _12."id"
        ORDER BY _13."id"))
    FROM (SELECT _12."id", "k"."place" AS "_place"
      FROM "public"."accounts" AS _12 JOIN unnest(current_setting('postern.s10', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _12."id" = "k"."k0"::int4) AS _12
    ORDER BY _12."_place");
-- _13 public.accounts: permissions.toml:454: true
-- _12 public.accounts: permissions.toml:454: true
