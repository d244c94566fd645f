-- role: writer
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "place" = _0."place" + $1::int4
    WHERE ((EXISTS (SELECT
          FROM "public"."projects" AS "p"
          WHERE "p"."id" = (_0."project_id")
          AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."project_id")
          AND "m"."account_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
    AND _0."project_id" = $1::int4 RETURNING _0."id", (CASE WHEN (((EXISTS (SELECT
              FROM "public"."projects" AS "p"
              WHERE "p"."id" = (_0."project_id")
              AND "p"."owner_id" = $2::int4)) OR _0."assignee_id" = $2::int4)
        AND _0."place" < 100) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_judged") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _1 AS _4), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- $2: session value user_id, Int
-- $3: the word of alarm 1.
-- _0 public.tasks: permissions.toml:503: own_project(project_id) OR assignee_id = session.user_id
-- _0 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
SELECT array(SELECT row(_5."id", _5."place", _6."id" IS NOT NULL, _6."name", array(SELECT row(_7."id", _7."place")
        FROM "public"."tasks" AS _7
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_7."project_id")
              AND "m"."account_id" = $1::int4)) OR _7."assignee_id" = $1::int4)
        AND _7."project_id" = _6."id"
        ORDER BY _7."id"), (SELECT row(sum(_8."place"))
        FROM "public"."tasks" AS _8
        WHERE ((EXISTS (SELECT
              FROM "public"."project_members" AS "m"
              WHERE "m"."project_id" = (_8."project_id")
              AND "m"."account_id" = $1::int4)) OR _8."assignee_id" = $1::int4)
        AND _8."project_id" = _6."id"), array(SELECT row(_9."body")
        FROM "public"."task_notes" AS _9
        WHERE (_9."author_id" = $1::int4 OR (EXISTS (SELECT
              FROM "public"."tasks" AS "t"
              WHERE "t"."id" = (_9."task_id")
              AND (EXISTS (SELECT
                  FROM "public"."projects" AS "p"
                  WHERE "p"."id" = ("t"."project_id")
                  AND "p"."owner_id" = $1::int4)))))
        AND _9."task_id" = _5."id"
        ORDER BY _9."id"))
    FROM (SELECT _5."id", _5."project_id", _5."place", _5."assignee_id", "k"."place" AS "_place"
      FROM "public"."tasks" AS _5 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _5."id" = "k"."k0"::int4) AS _5
    LEFT JOIN "public"."projects" AS _6 ON _6."id" = _5."project_id"
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_6."id")
          AND "m"."account_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_5."project_id")
          AND "m"."account_id" = $1::int4)) OR _5."assignee_id" = $1::int4)
    ORDER BY _5."_place"), (current_setting('postern.s2', true)::int8);
-- $1: session value user_id, Int
-- _7 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _8 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _9 public.task_notes: permissions.toml:531: author_id = session.user_id OR own_task(task_id)
-- _5 public.tasks: permissions.toml:501: in_project(project_id) OR assignee_id = session.user_id
-- _6 public.projects: permissions.toml:467: in_project(id)

-- role: owner
WITH _1 AS (UPDATE "public"."tasks" AS _0 SET "place" = _0."place" + $1::int4
    WHERE _0."project_id" = $1::int4 RETURNING _0."id") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _1 AS _4), '{}'), true) IS NOT NULL;
-- $1: "1" of the document
-- _0 public.tasks: permissions.toml:509: true
SELECT array(SELECT row(_5."id", _5."place", _6."id" IS NOT NULL, _6."name", array(SELECT row(_7."id", _7."place")
        FROM "public"."tasks" AS _7
        WHERE _7."project_id" = _6."id"
        ORDER BY _7."id"), (SELECT row(sum(_8."place"))
        FROM "public"."tasks" AS _8
        WHERE _8."project_id" = _6."id"), array(SELECT row(_9."body")
        FROM "public"."task_notes" AS _9
        WHERE _9."task_id" = _5."id"
        ORDER BY _9."id"))
    FROM (SELECT _5."id", _5."project_id", _5."place", "k"."place" AS "_place"
      FROM "public"."tasks" AS _5 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _5."id" = "k"."k0"::int4) AS _5
    LEFT JOIN "public"."projects" AS _6 ON _6."id" = _5."project_id"
    ORDER BY _5."_place"), (current_setting('postern.s2', true)::int8);
-- _7 public.tasks: permissions.toml:507: true
-- _8 public.tasks: permissions.toml:507: true
-- _9 public.task_notes: permissions.toml:537: true
-- _5 public.tasks: permissions.toml:507: true
-- _6 public.projects: permissions.toml:473: true
