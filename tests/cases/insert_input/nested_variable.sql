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
        FROM _13))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _13)) = ((SELECT count(*)
          FROM _11))) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $2: the numbers of the rows $.selectionSet.insertProjects.args.objects
-- $3: ownerId of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $4: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $5: the numbers of the rows $.selectionSet.insertProjects.args.objects
-- $6: the word of alarm 1.
WITH _21 AS MATERIALIZED (SELECT _17."id"::int4 AS "project_id", _18."title" AS "title", (0)::int4 AS "place", _18."_n", _18."_p"
    FROM unnest($1::text[], $2::int8[], $3::int8[]) AS _18("title", "_p", "_n") JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS _17("id", "_n") ON _17."_n" = _18."_p" UNION ALL SELECT _19."id"::int4 AS "project_id", _20."title" AS "title", _20."place" AS "place", _20."_n", _20."_p"
    FROM unnest($4::text[], $5::int4[], $6::int8[], $7::int8[]) AS _20("title", "place", "_p", "_n") JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS _19("id", "_n") ON _19."_n" = _20."_p"
    ORDER BY "_n"), _23 AS (INSERT INTO "public"."tasks" AS _22 ("project_id", "title", "place") SELECT _21."project_id", _21."title", _21."place"
    FROM _21 RETURNING _22."id") SELECT set_config('postern.s24', coalesce((SELECT array_agg(_25."id"::text)::text
        FROM _23 AS _25), '{}'), true) IS NOT NULL, set_config('postern.s26', ((SELECT count(*)
        FROM _23))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _23)) = ((SELECT count(*)
          FROM _21))) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool;
-- $1: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $3: the numbers of the rows $.selectionSet.insertProjects.args.objects.tasks.data
-- $4: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $5: place of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [Int]
-- $6: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $7: the numbers of the rows $.selectionSet.insertProjects.args.objects.tasks.data
-- $8: the word of alarm 1.
WITH _29 AS MATERIALIZED (SELECT _27."id"::int4 AS "task_id", _28."author_id" AS "author_id", _28."body" AS "body", _28."_n", _28."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _28("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s24', true)::text[]) WITH ORDINALITY AS _27("id", "_n") ON _27."_n" = _28."_p"
    ORDER BY "_n"), _31 AS (INSERT INTO "public"."task_notes" AS _30 ("task_id", "author_id", "body") SELECT _29."task_id", _29."author_id", _29."body"
    FROM _29 RETURNING 1) SELECT set_config('postern.s32', (current_setting('postern.s26', true)::int8 + (SELECT count(*)
        FROM _31))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data.notes.data come with
SELECT (current_setting('postern.s16', true)::int8 + current_setting('postern.s32', true)::int8), array(SELECT row(_33."name", _34."id" IS NOT NULL, _34."id", _34."name", array(SELECT row(_35."title", _35."place", array(SELECT row(_36."author_id", _36."body")
            FROM "public"."task_notes" AS _36
            WHERE _36."task_id" = _35."id"
            ORDER BY _36."body"))
        FROM "public"."tasks" AS _35
        WHERE _35."project_id" = _33."id"
        ORDER BY _35."title"))
    FROM (SELECT _33."id", _33."owner_id", _33."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _33 JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _33."id" = "k"."k0"::int4) AS _33
    LEFT JOIN "public"."accounts" AS _34 ON _34."id" = _33."owner_id"
    ORDER BY _33."_place");
-- _36 public.task_notes: permissions.toml:537: true
-- _35 public.tasks: permissions.toml:507: true
-- _33 public.projects: permissions.toml:473: true
-- _34 public.accounts: permissions.toml:454: true
