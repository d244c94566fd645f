-- role: limited
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "place" = $1::int4
    WHERE _0."id" = $2::int4 RETURNING _0."id") SELECT set_config('postern.s2', coalesce((SELECT array_agg(_3."id"::text)::text
        FROM _1 AS _3), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _1)) = 1) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool;
-- $1: "9" of the document
-- $2: "1" of the document
-- $3: the word of alarm 1.
-- _0 public.tasks: permissions.toml:730: true
WITH _6 AS MATERIALIZED (SELECT _4."id"::int4 AS "task_id", _5."author_id" AS "author_id", _5."body" AS "body", _5."_n"
    FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS _5("author_id", "body", "_n") CROSS JOIN unnest(current_setting('postern.s2', true)::text[]) AS _4("id")
    ORDER BY "_n"), _8 AS (INSERT INTO "public"."task_notes" AS _7 ("task_id", "author_id", "body") SELECT _6."task_id", _6."author_id", _6."body"
    FROM _6 RETURNING 1) SELECT;
-- $1: authorId of the rows $.selectionSet.updateTasksByPk.args._related.notes.insert of the request, [Int]
-- $2: body of the rows $.selectionSet.updateTasksByPk.args._related.notes.insert of the request, [String]
SELECT array(SELECT row(_9."id")
    FROM (SELECT _9."id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _9 JOIN unnest(current_setting('postern.s2', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _9."id" = "k"."k0"::int4) AS _9
    ORDER BY _9."_place");
-- _9 public.tasks: permissions.toml:728: true
