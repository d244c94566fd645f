-- role: owner
WITH _2 AS MATERIALIZED (SELECT _0."id" AS "id", _0."owner_id" AS "owner_id", _0."name" AS "name", _0."_n"
    FROM unnest($1::int4[], $2::int4[], $3::text[], $4::int8[]) AS _0("id", "owner_id", "name", "_n") UNION ALL SELECT nextval(pg_get_serial_sequence('"public"."projects"', 'id'))::int4 AS "id", _1."owner_id" AS "owner_id", _1."name" AS "name", _1."_n"
    FROM unnest($5::int4[], $6::text[], $7::int8[]) AS _1("owner_id", "name", "_n")
    ORDER BY "_n"), _4 AS (INSERT INTO "public"."projects" AS _3 ("id", "owner_id", "name") OVERRIDING SYSTEM VALUE SELECT _2."id", _2."owner_id", _2."name"
    FROM _2 RETURNING _3."id") SELECT set_config('postern.s5', ((SELECT count(*)
        FROM _4))::text, true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _4 AS _7), '{}'), true) IS NOT NULL;
-- $1: id of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $2: ownerId of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $3: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $4: the numbers of the rows $.selectionSet.insertProjects.args.objects
-- $5: ownerId of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $6: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $7: the numbers of the rows $.selectionSet.insertProjects.args.objects
SELECT (current_setting('postern.s5', true)::int8), array(SELECT row(_8."id", _8."name", array(SELECT row(_9."account_id", _9."role")
        FROM "public"."project_members" AS _9
        WHERE _9."project_id" = _8."id"))
    FROM (SELECT _8."id", _8."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _8 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _8."id" = "k"."k0"::int4) AS _8
    ORDER BY _8."_place");
-- _9 public.project_members: permissions.toml:565: true
-- _8 public.projects: permissions.toml:473: true
