-- role: owner
WITH _1 AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('"public"."tasks"', 'id'))::int4 AS "id", $1::text AS "title", 1::int8 AS "_n", 1::int8 AS "_p"), _6 AS MATERIALIZED (SELECT _4."id" AS "task_id", $2::int4 AS "author_id", $3::text AS "body", 1::int8 AS "_n"
    FROM _1 AS _4), _3 AS (INSERT INTO "public"."tasks" AS _2 ("id", "title") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."title"
    FROM _1 RETURNING 1), _8 AS (INSERT INTO "public"."task_notes" AS _7 ("task_id", "author_id", "body") SELECT _6."task_id", _6."author_id", _6."body"
    FROM _6 RETURNING _7."id") SELECT set_config('postern.s9', coalesce((SELECT array_agg(_10."id"::text)::text
        FROM _8 AS _10), '{}'), true) IS NOT NULL;
-- $1: title of the row $.selectionSet.insertTaskNotesOne.args.object.task.data of the request, String
-- $2: authorId of the row $.selectionSet.insertTaskNotesOne.args.object of the request, Int
-- $3: body of the row $.selectionSet.insertTaskNotesOne.args.object of the request, String
SELECT array(SELECT row(_11."id", _11."body", _12."id" IS NOT NULL, _12."id", _12."title")
    FROM (SELECT _11."id", _11."task_id", _11."body", "k"."place" AS "_place"
      FROM "public"."task_notes" AS _11 JOIN unnest(current_setting('postern.s9', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _11."id" = "k"."k0"::int4) AS _11
    LEFT JOIN "public"."tasks" AS _12 ON _12."id" = _11."task_id"
    ORDER BY _11."_place");
-- _11 public.task_notes: permissions.toml:537: true
-- _12 public.tasks: permissions.toml:507: true
