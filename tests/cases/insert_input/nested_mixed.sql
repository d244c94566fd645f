-- role: owner
WITH _1 AS MATERIALIZED (SELECT _0."owner_id" AS "owner_id", _0."name" AS "name", _0."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _0("owner_id", "name", "_n")), _3 AS (INSERT INTO "public"."projects" AS _2 ("owner_id", "name") SELECT _1."owner_id", _1."name"
    FROM _1 RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL, set_config('postern.s7', coalesce((SELECT array_agg(_8."id"::text)::text
        FROM _3 AS _8), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: ownerId of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $2: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $3: the word of alarm 1.
WITH _13 AS MATERIALIZED (SELECT _9."id"::int4 AS "project_id", _10."title" AS "title", (0)::int4 AS "place", _10."_n", _10."_p"
    FROM unnest($1::text[], $2::int8[], $3::int8[]) AS _10("title", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _9("id", "_n") ON _9."_n" = _10."_p" UNION ALL SELECT _11."id"::int4 AS "project_id", _12."title" AS "title", _12."place" AS "place", _12."_n", _12."_p"
    FROM unnest($4::text[], $5::int4[], $6::int8[], $7::int8[]) AS _12("title", "place", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _11("id", "_n") ON _11."_n" = _12."_p"
    ORDER BY "_n"), _15 AS (INSERT INTO "public"."tasks" AS _14 ("project_id", "title", "place") SELECT _13."project_id", _13."title", _13."place"
    FROM _13 RETURNING _14."id") SELECT set_config('postern.s16', coalesce((SELECT array_agg(_17."id"::text)::text
        FROM _15 AS _17), '{}'), true) IS NOT NULL, set_config('postern.s18', ((SELECT count(*)
        FROM _15))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _15)) = ((SELECT count(*)
          FROM _13))) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool;
-- $1: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $3: the numbers of the rows $.selectionSet.insertProjects.args.objects.tasks.data
-- $4: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $5: place of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [Int]
-- $6: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $7: the numbers of the rows $.selectionSet.insertProjects.args.objects.tasks.data
-- $8: the word of alarm 1.
WITH _21 AS MATERIALIZED (SELECT _19."id"::int4 AS "task_id", _20."author_id" AS "author_id", _20."body" AS "body", _20."_n", _20."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _20("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s16', true)::text[]) WITH ORDINALITY AS _19("id", "_n") ON _19."_n" = _20."_p"
    ORDER BY "_n"), _23 AS (INSERT INTO "public"."task_notes" AS _22 ("task_id", "author_id", "body") SELECT _21."task_id", _21."author_id", _21."body"
    FROM _21 RETURNING 1) SELECT set_config('postern.s24', (current_setting('postern.s18', true)::int8 + (SELECT count(*)
        FROM _23))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data.notes.data come with
SELECT (current_setting('postern.s6', true)::int8 + current_setting('postern.s24', true)::int8), array(SELECT row(_25."name", array(SELECT row(_26."title", _26."place", array(SELECT row(_27."body")
            FROM "public"."task_notes" AS _27
            WHERE _27."task_id" = _26."id"))
        FROM "public"."tasks" AS _26
        WHERE _26."project_id" = _25."id"
        ORDER BY _26."title"))
    FROM (SELECT _25."id", _25."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _25 JOIN unnest(current_setting('postern.s7', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _25."id" = "k"."k0"::int4) AS _25
    ORDER BY _25."_place");
-- _27 public.task_notes: permissions.toml:537: true
-- _26 public.tasks: permissions.toml:507: true
-- _25 public.projects: permissions.toml:473: true
