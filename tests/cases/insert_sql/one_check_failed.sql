-- role: writer
INSERT INTO "public"."task_notes" AS _2 ("task_id", "author_id", "body") SELECT _1."task_id", _1."author_id", _1."body"
  FROM (SELECT $1::int4 AS "task_id", ($2::int4)::int4 AS "author_id", $3::text AS "body") AS _1
  WHERE (CASE WHEN (_1."author_id" = $2::int4
      AND _1."body" <> 'bad') IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool RETURNING (_2."author_id" = $2::int4 OR (EXISTS (SELECT
        FROM "public"."tasks" AS "t"
        WHERE "t"."id" = (_2."task_id")
        AND (EXISTS (SELECT
            FROM "public"."projects" AS "p"
            WHERE "p"."id" = ("t"."project_id")
            AND "p"."owner_id" = $2::int4))))), _2."id";
-- $1: taskId of the row $.selectionSet.insertTaskNotesOne.args.object of the request, Int
-- $2: session value user_id, Int
-- $3: body of the row $.selectionSet.insertTaskNotesOne.args.object of the request, String
-- $4: the word of alarm 1.
-- _1 public.task_notes: permissions.toml:532: author_id = session.user_id AND body <> 'bad'
-- _2 public.task_notes: permissions.toml:531: author_id = session.user_id OR own_task(task_id)
