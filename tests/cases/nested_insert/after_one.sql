-- role: owner
WITH _1 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", $1::text AS "title", 1::int8 AS "_n"), _6 AS MATERIALIZED (SELECT _4."id" AS "task_id", _5."author_id" AS "author_id", _5."body" AS "body", _5."_n", _5."_p"
    FROM unnest($2::int4[], $3::text[], $4::int8[]) WITH ORDINALITY AS _5("author_id", "body", "_p", "_n") JOIN _1 AS _4 ON _4."_n" = _5."_p"
    ORDER BY "_n"), _3 AS (INSERT INTO "public"."tasks" AS _2 ("id", "title") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."title"
    FROM _1 RETURNING _2."id"), _8 AS (INSERT INTO "public"."task_notes" AS _7 ("task_id", "author_id", "body") SELECT _6."task_id", _6."author_id", _6."body"
    FROM _6 RETURNING 1) SELECT set_config('postern.s9', coalesce((SELECT array_agg(_10."id"::text)::text
        FROM _3 AS _10), '{}'), true) IS NOT NULL;
-- $1: title of the row $.selectionSet.insertTasksOne.args.object of the request, String
-- $2: authorId of the rows $.selectionSet.insertTasksOne.args.object.notes.data of the request, [Int]
-- $3: body of the rows $.selectionSet.insertTasksOne.args.object.notes.data of the request, [String]
-- $4: the rows that rows of $.selectionSet.insertTasksOne.args.object.notes.data come with
SELECT array(SELECT row(_11."id", array(SELECT row(_12."id", _12."task_id", _12."body")
        FROM "public"."task_notes" AS _12
        WHERE _12."task_id" = _11."id"
        ORDER BY _12."id"))
    FROM (SELECT _11."id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _11 JOIN unnest(current_setting('postern.s9', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _11."id" = "k"."k0"::int4) AS _11
    ORDER BY _11."_place");
-- _12 public.task_notes: permissions.toml:537: true
-- _11 public.tasks: permissions.toml:507: true
