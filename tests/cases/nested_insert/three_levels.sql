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
WITH _11 AS MATERIALIZED (SELECT _9."id"::int4 AS "project_id", _10."account_id" AS "account_id", _10."_n", _10."_p"
    FROM unnest($1::int4[], $2::int8[]) WITH ORDINALITY AS _10("account_id", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _9("id", "_n") ON _9."_n" = _10."_p"
    ORDER BY "_n"), _13 AS (INSERT INTO "public"."project_members" AS _12 ("project_id", "account_id") SELECT _11."project_id", _11."account_id"
    FROM _11 RETURNING 1) SELECT set_config('postern.s14', ((SELECT count(*)
        FROM _13))::text, true) IS NOT NULL;
-- $1: accountId of the rows $.selectionSet.insertProjects.args.objects.members.data of the request, [Int]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.members.data come with
WITH _17 AS MATERIALIZED (SELECT _15."id"::int4 AS "project_id", _16."title" AS "title", _16."_n", _16."_p"
    FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS _16("title", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _15("id", "_n") ON _15."_n" = _16."_p"
    ORDER BY "_n"), _19 AS (INSERT INTO "public"."tasks" AS _18 ("project_id", "title") SELECT _17."project_id", _17."title"
    FROM _17 RETURNING _18."id") SELECT set_config('postern.s20', coalesce((SELECT array_agg(_21."id"::text)::text
        FROM _19 AS _21), '{}'), true) IS NOT NULL, set_config('postern.s22', (current_setting('postern.s14', true)::int8 + (SELECT count(*)
        FROM _19))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _19)) = ((SELECT count(*)
          FROM _17))) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $3: the word of alarm 1.
WITH _25 AS MATERIALIZED (SELECT _23."id"::int4 AS "task_id", _24."author_id" AS "author_id", _24."body" AS "body", _24."_n", _24."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _24("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s20', true)::text[]) WITH ORDINALITY AS _23("id", "_n") ON _23."_n" = _24."_p"
    ORDER BY "_n"), _27 AS (INSERT INTO "public"."task_notes" AS _26 ("task_id", "author_id", "body") SELECT _25."task_id", _25."author_id", _25."body"
    FROM _25 RETURNING 1) SELECT set_config('postern.s28', (current_setting('postern.s22', true)::int8 + (SELECT count(*)
        FROM _27))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data.notes.data come with
SELECT (current_setting('postern.s6', true)::int8 + current_setting('postern.s28', true)::int8), array(SELECT row(_29."name", array(SELECT row(_30."title", array(SELECT row(_31."body")
            FROM "public"."task_notes" AS _31
            WHERE _31."task_id" = _30."id"
            ORDER BY _31."id"))
        FROM "public"."tasks" AS _30
        WHERE _30."project_id" = _29."id"
        ORDER BY _30."id"))
    FROM (SELECT _29."id", _29."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _29 JOIN unnest(current_setting('postern.s7', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _29."id" = "k"."k0"::int4) AS _29
    ORDER BY _29."_place");
-- _31 public.task_notes: permissions.toml:537: true
-- _30 public.tasks: permissions.toml:507: true
-- _29 public.projects: permissions.toml:473: true
