-- role: owner
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."name" AS "name", _0."_n", _0."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _0("id", "name", "_p", "_n")), _3 AS (INSERT INTO "public"."accounts" AS _2 ("id", "name") SELECT _1."id", _1."name"
    FROM _1 ON CONFLICT ("id") DO UPDATE SET "name" = excluded."name"
    WHERE CASE WHEN ((_2."id" < $4::int4)) THEN true ELSE false END RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_1."_p")::text
        FROM _1 AS _1), '{}'), true) IS NOT NULL, set_config('postern.s7', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool;
-- $1: id of the rows $.selectionSet.insertProjects.args.objects.owner.data of the request, [Int]
-- $2: name of the rows $.selectionSet.insertProjects.args.objects.owner.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjects.args.objects.owner.data come with
-- $4: $.selectionSet.insertProjects.args.objects[1].owner.on_conflict.where.id._lt of the request, Int
-- $5: the word of alarm 1.
-- _2 public.accounts: permissions.toml:456: true
WITH _11 AS MATERIALIZED (SELECT _8."owner_id" AS "owner_id", _8."name" AS "name", _8."_n"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) AS _8("owner_id", "name", "_n") UNION ALL SELECT _9."id"::int4 AS "owner_id", _10."name" AS "name", _10."_n"
    FROM unnest($4::text[], $5::int8[]) AS _10("name", "_n") JOIN unnest(current_setting('postern.s6', true)::int8[], current_setting('postern.s4', true)::text[]) AS _9("_n", "id") ON _9."_n" = _10."_n"
    ORDER BY "_n"), _13 AS (INSERT INTO "public"."projects" AS _12 ("owner_id", "name") SELECT _11."owner_id", _11."name"
    FROM _11 RETURNING _12."id") SELECT set_config('postern.s14', (current_setting('postern.s7', true)::int8 + (SELECT count(*)
        FROM _13))::text, true) IS NOT NULL, set_config('postern.s15', coalesce((SELECT array_agg(_16."id"::text)::text
        FROM _13 AS _16), '{}'), true) IS NOT NULL;
-- $1: ownerId of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $2: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $3: the numbers of the rows $.selectionSet.insertProjects.args.objects
-- $4: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $5: the numbers of the rows $.selectionSet.insertProjects.args.objects
SELECT (current_setting('postern.s14', true)::int8), array(SELECT row(_17."name", _18."id" IS NOT NULL, _18."id", _18."name")
    FROM (SELECT _17."owner_id", _17."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _17 JOIN unnest(current_setting('postern.s15', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _17."id" = "k"."k0"::int4) AS _17
    LEFT JOIN "public"."accounts" AS _18 ON _18."id" = _17."owner_id"
    ORDER BY _17."_place");
-- _17 public.projects: permissions.toml:473: true
-- _18 public.accounts: permissions.toml:454: true
