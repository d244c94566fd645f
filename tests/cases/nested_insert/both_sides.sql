-- role: owner
WITH _1 AS MATERIALIZED (SELECT $1::int4 AS "id", $2::text AS "name", 1::int8 AS "_n", 1::int8 AS "_p"), _6 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", $3::text AS "title", _4."id" AS "assignee_id", 1::int8 AS "_n"
    FROM _1 AS _4), _11 AS MATERIALIZED (SELECT _9."id" AS "task_id", _10."author_id" AS "author_id", _10."body" AS "body", _10."_n", _10."_p"
    FROM unnest($4::int4[], $5::text[], $6::int8[]) WITH ORDINALITY AS _10("author_id", "body", "_p", "_n") JOIN _6 AS _9 ON _9."_n" = _10."_p"
    ORDER BY "_n"), _3 AS (INSERT INTO "public"."accounts" AS _2 ("id", "name") SELECT _1."id", _1."name"
    FROM _1 RETURNING 1), _8 AS (INSERT INTO "public"."tasks" AS _7 ("id", "title", "assignee_id") OVERRIDING SYSTEM VALUE SELECT _6."id", _6."title", _6."assignee_id"
    FROM _6 RETURNING _7."id"), _13 AS (INSERT INTO "public"."task_notes" AS _12 ("task_id", "author_id", "body") SELECT _11."task_id", _11."author_id", _11."body"
    FROM _11 RETURNING 1) SELECT set_config('postern.s14', coalesce((SELECT array_agg(_15."id"::text)::text
        FROM _8 AS _15), '{}'), true) IS NOT NULL;
-- $1: id of the row $.selectionSet.insertTasksOne.args.object.assignee.data of the request, Int
-- $2: name of the row $.selectionSet.insertTasksOne.args.object.assignee.data of the request, String
-- $3: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $4: authorId of the rows $.selectionSet.insertTasksOne.args.object.notes.data of the request, [Int]
-- $5: body of the rows $.selectionSet.insertTasksOne.args.object.notes.data of the request, [String]
-- $6: the rows that rows of $.selectionSet.insertTasksOne.args.object.notes.data come with
SELECT array(SELECT row(_16."title", _17."id" IS NOT NULL, _17."name", array(SELECT row(_18."body")
        FROM "public"."task_notes" AS _18
        WHERE _18."task_id" = _16."id"))
    FROM (SELECT _16."id", _16."title", _16."assignee_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _16 JOIN unnest(current_setting('postern.s14', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _16."id" = "k"."k0"::int4) AS _16
    LEFT JOIN "public"."accounts" AS _17 ON _17."id" = _16."assignee_id"
    ORDER BY _16."_place");
-- _18 public.task_notes: permissions.toml:537: true
-- _16 public.tasks: permissions.toml:507: true
-- _17 public.accounts: permissions.toml:454: true
