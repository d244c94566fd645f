-- role: writer
WITH _1 AS (DELETE
    FROM "public"."task_notes" AS _0
    WHERE (_0."author_id" = $1::int4 OR (EXISTS (SELECT
          FROM "public"."tasks" AS "t"
          WHERE "t"."id" = (_0."task_id")
          AND (EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = ("t"."project_id")
              AND "p"."owner_id" = $1::int4))))) RETURNING _0."id", _0."task_id", _0."author_id", _0."body") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."id", _2."body")
    FROM _1 AS _2
    WHERE (_2."author_id" = $1::int4 OR (EXISTS (SELECT
          FROM "public"."tasks" AS "t"
          WHERE "t"."id" = (_2."task_id")
          AND (EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = ("t"."project_id")
              AND "p"."owner_id" = $1::int4))))));
-- $1: session value user_id, Int
-- _0 public.task_notes: permissions.toml:534: author_id = session.user_id OR own_task(task_id)
-- _2 public.task_notes: permissions.toml:531: author_id = session.user_id OR own_task(task_id)
