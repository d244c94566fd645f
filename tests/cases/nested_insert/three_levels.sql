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
WITH _9 AS MATERIALIZED (SELECT _7."id"::int4 AS "project_id", _8."account_id" AS "account_id", _8."_n", _8."_p"
    FROM unnest($1::int4[], $2::int8[]) WITH ORDINALITY AS _8("account_id", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _7("id", "_n") ON _7."_n" = _8."_p"
    ORDER BY "_n"), _11 AS (INSERT INTO "public"."project_members" AS _10 ("project_id", "account_id") SELECT _9."project_id", _9."account_id"
    FROM _9 RETURNING 1) SELECT set_config('postern.s12', ((SELECT count(*)
        FROM _11))::text, true) IS NOT NULL;
-- $1: accountId of the rows $.selectionSet.insertProjects.args.objects.members.data of the request, [Int]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.members.data come with
WITH _15 AS MATERIALIZED (SELECT _13."id"::int4 AS "project_id", _14."title" AS "title", _14."_n", _14."_p"
    FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS _14("title", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _13("id", "_n") ON _13."_n" = _14."_p"
    ORDER BY "_n"), _17 AS (INSERT INTO "public"."tasks" AS _16 ("project_id", "title") SELECT _15."project_id", _15."title"
    FROM _15 RETURNING _16."id") SELECT set_config('postern.s18', coalesce((SELECT array_agg(_19."id"::text)::text
        FROM _17 AS _19), '{}'), true) IS NOT NULL, set_config('postern.s20', (current_setting('postern.s12', true)::int8 + (SELECT count(*)
        FROM _17))::text, true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _17)) = ((SELECT count(*)
          FROM _15))) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: title of the rows $.selectionSet.insertProjects.args.objects.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data come with
-- $3: the word of alarm 1.
WITH _23 AS MATERIALIZED (SELECT _21."id"::int4 AS "task_id", _22."author_id" AS "author_id", _22."body" AS "body", _22."_n", _22."_p"
    FROM unnest($1::int4[], $2::text[], $3::int8[]) WITH ORDINALITY AS _22("author_id", "body", "_p", "_n") JOIN unnest(current_setting('postern.s18', true)::text[]) WITH ORDINALITY AS _21("id", "_n") ON _21."_n" = _22."_p"
    ORDER BY "_n"), _25 AS (INSERT INTO "public"."task_notes" AS _24 ("task_id", "author_id", "body") SELECT _23."task_id", _23."author_id", _23."body"
    FROM _23 RETURNING 1) SELECT set_config('postern.s26', (current_setting('postern.s20', true)::int8 + (SELECT count(*)
        FROM _25))::text, true) IS NOT NULL;
-- $1: authorId of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [Int]
-- $2: body of the rows $.selectionSet.insertProjects.args.objects.tasks.data.notes.data of the request, [String]
-- $3: the rows that rows of $.selectionSet.insertProjects.args.objects.tasks.data.notes.data come with
SELECT (current_setting('postern.s6', true)::int8 + current_setting('postern.s26', true)::int8), array(SELECT row(_27."name", array(SELECT row(_28."title", array(SELECT row(_29."body")
            FROM "public"."task_notes" AS _29
            WHERE _29."task_id" = _28."id"
            ORDER BY _29."id"))
        FROM "public"."tasks" AS _28
        WHERE _28."project_id" = _27."id"
        ORDER BY _28."id"))
    FROM (SELECT _27."id", _27."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _27 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _27."id" = "k"."k0"::int4) AS _27
    ORDER BY _27."_place");
-- _29 public.task_notes: permissions.toml:537: true
-- _28 public.tasks: permissions.toml:507: true
-- _27 public.projects: permissions.toml:473: true
