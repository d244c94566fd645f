-- role: owner
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", _0."name" AS "name", _0."_n", _0."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _0("id", "name", "_p", "_n")), _3 AS (INSERT INTO "public"."accounts" AS _2 ("id", "name") SELECT _1."id", _1."name"
    FROM _1 RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_1."_p")::text
        FROM _1 AS _1), '{}'), true) IS NOT NULL, set_config('postern.s7', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: id of the rows $.selectionSet.insertProjects.args.objects.owner.data of the request, [Int]
-- $2: name of the rows $.selectionSet.insertProjects.args.objects.owner.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjects.args.objects.owner.data come with
-- $4: the word of alarm 1.
WITH _11 AS MATERIALIZED (SELECT _8."id"::int4 AS "owner_id", _9."name" AS "name", _9."_n"
    FROM unnest($1::text[], $2::int8[]) AS _9("name", "_n") JOIN unnest(current_setting('postern.s6', true)::int8[], current_setting('postern.s4', true)::text[]) AS _8("_n", "id") ON _8."_n" = _9."_n" UNION ALL SELECT _10."owner_id" AS "owner_id", _10."name" AS "name", _10."_n"
    FROM unnest($3::int4[], $4::text[], $5::int8[]) AS _10("owner_id", "name", "_n")
    ORDER BY "_n"), _13 AS (INSERT INTO "public"."projects" AS _12 ("owner_id", "name") SELECT _11."owner_id", _11."name"
    FROM _11 RETURNING _12."id") SELECT set_config('postern.s14', coalesce((SELECT array_agg(_15."id"::text)::text
        FROM _13 AS _15), '{}'), true) IS NOT NULL, set_config('postern.s16', (current_setting('postern.s7', true)::int8 + (SELECT count(*)
        FROM _13))::text, true) IS NOT NULL, set_config('postern.s17', coalesce((SELECT array_agg(_18."id"::text)::text
        FROM _13 AS _18), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _13)) = ((SELECT count(*)
          FROM _11))) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $2: the numbers of the rows $.selectionSet.insertProjects.args.objects
-- $3: ownerId of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $4: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $5: the numbers of the rows $.selectionSet.insertProjects.args.objects
-- $6: the word of alarm 1.
WITH _23 AS MATERIALIZED (SELECT _19."id"::int4 AS "project_id", _20."title" AS "title", (0)::int4 AS "place", _20."_n", _20."_p"
    FROM unnest($1::text[], $2::int8[], $3::int8[]) AS _20("title", "_p", "_n") JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS _19("id", "_n") ON _19."_n" = _20."_p" UNION ALL SELECT _21."id"::int4 AS "project_id", _22."title" AS "title", _22."place" AS "place", _22."_n", _22."_p"
    FROM unnest($4::text[], $5::int4[], $6::int8[], $7::int8[]) AS _22("title", "place", "_p", "_n") JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS _21("id", "_n") ON _21."_n" = _22."_p"
    ORDER BY "_n"), _25 AS (INSERT INTO "public"."tasks" AS _24 ("project_id", "title", "place") SELECT _23."project_id", _23."title", _23."place"
    FROM _23 RETURNING _24."id") SELECT set_config('postern.s26', coalesce((SELECT array_agg(_27."id"::text)::text
        FROM _25 AS _27), '{}'), true) IS NOT NULL, set_config('postern.s28', ((SELECT count(*)
        FROM _25))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _25)) = ((SELECT count(*)
          FROM _23))) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool;
-- $1: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $3: the numbers of the rows $.selectionSet.insertProjects.args.objects.tasks.data
-- $4: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $5: place of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [Int]
-- $6: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $7: the numbers of the rows $.selectionSet.insertProjects.args.objects.tasks.data
-- $8: the word of alarm 1.
WITH _31 AS MATERIALIZED (SELECT _29."id"::int4 AS "task_id", _30."author_id" AS "author_id", _30."body" AS "body", _30."_n", _30."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _30("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s26', true)::text[]) WITH ORDINALITY AS _29("id", "_n") ON _29."_n" = _30."_p"
    ORDER BY "_n"), _33 AS (INSERT INTO "public"."task_notes" AS _32 ("task_id", "author_id", "body") SELECT _31."task_id", _31."author_id", _31."body"
    FROM _31 RETURNING 1) SELECT set_config('postern.s34', (current_setting('postern.s28', true)::int8 + (SELECT count(*)
        FROM _33))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data.notes.data come with
SELECT (current_setting('postern.s16', true)::int8 + current_setting('postern.s34', true)::int8), array(SELECT row(_35."name", _36."id" IS NOT NULL, _36."id", _36."name", array(SELECT row(_37."title", _37."place", array(SELECT row(_38."author_id", _38."body")
            FROM "public"."task_notes" AS _38
            WHERE _38."task_id" = _37."id"
            ORDER BY _38."body"))
        FROM "public"."tasks" AS _37
        WHERE _37."project_id" = _35."id"
        ORDER BY _37."title"))
    FROM (SELECT _35."id", _35."owner_id", _35."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _35 JOIN unnest(current_setting('postern.s17', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _35."id" = "k"."k0"::int4) AS _35
    LEFT JOIN "public"."accounts" AS _36 ON _36."id" = _35."owner_id"
    ORDER BY _35."_place");
-- _38 public.task_notes: permissions.toml:537: true
-- _37 public.tasks: permissions.toml:507: true
-- _35 public.projects: permissions.toml:473: true
-- _36 public.accounts: permissions.toml:454: true
