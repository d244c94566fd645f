-- role: owner
WITH _1 AS MATERIALIZED (SELECT _0."owner_id" AS "owner_id", _0."name" AS "name", _0."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _0("owner_id", "name", "_n")), _3 AS (INSERT INTO "public"."projects" AS _2 ("owner_id", "name") SELECT _1."owner_id", _1."name"
    FROM _1 RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: ownerId of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $2: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $3: the word of alarm 1.
WITH _11 AS MATERIALIZED (SELECT _7."id"::int4 AS "project_id", _8."title" AS "title", (0)::int4 AS "place", _8."_n", _8."_p"
    FROM unnest($1::text[], $2::int8[], $3::int8[]) AS _8("title", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _7("id", "_n") ON _7."_n" = _8."_p" UNION ALL SELECT _9."id"::int4 AS "project_id", _10."title" AS "title", _10."place" AS "place", _10."_n", _10."_p"
    FROM unnest($4::text[], $5::int4[], $6::int8[], $7::int8[]) AS _10("title", "place", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _9("id", "_n") ON _9."_n" = _10."_p"
    ORDER BY "_n"), _13 AS (INSERT INTO "public"."tasks" AS _12 ("project_id", "title", "place") SELECT _11."project_id", _11."title", _11."place"
    FROM _11 RETURNING _12."id") SELECT set_config('postern.s14', coalesce((SELECT array_agg(_15."id"::text)::text
        FROM _13 AS _15), '{}'), true) IS NOT NULL, set_config('postern.s16', ((SELECT count(*)
        FROM _13))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _13)) = ((SELECT count(*)
          FROM _11))) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool;
-- $1: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $3: the numbers of the rows $.selectionSet.insertProjects.args.objects.tasks.data
-- $4: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $5: place of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [Int]
-- $6: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $7: the numbers of the rows $.selectionSet.insertProjects.args.objects.tasks.data
-- $8: the word of alarm 1.
WITH _19 AS MATERIALIZED (SELECT _17."id"::int4 AS "task_id", _18."author_id" AS "author_id", _18."body" AS "body", _18."_n", _18."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _18("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS _17("id", "_n") ON _17."_n" = _18."_p"
    ORDER BY "_n"), _21 AS (INSERT INTO "public"."task_notes" AS _20 ("task_id", "author_id", "body") SELECT _19."task_id", _19."author_id", _19."body"
    FROM _19 RETURNING 1) SELECT set_config('postern.s22', (current_setting('postern.s16', true)::int8 + (SELECT count(*)
        FROM _21))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data.notes.data come with
SELECT (current_setting('postern.s6', true)::int8 + current_setting('postern.s22', true)::int8), array(SELECT row(_23."name", array(SELECT row(_24."title", _24."place", array(SELECT row(_25."body")
            FROM "public"."task_notes" AS _25
            WHERE _25."task_id" = _24."id"))
        FROM "public"."tasks" AS _24
        WHERE _24."project_id" = _23."id"
        ORDER BY _24."title"))
    FROM (SELECT _23."id", _23."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _23 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _23."id" = "k"."k0"::int4) AS _23
    ORDER BY _23."_place");
-- _25 public.task_notes: permissions.toml:537: true
-- _24 public.tasks: permissions.toml:507: true
-- _23 public.projects: permissions.toml:473: true
