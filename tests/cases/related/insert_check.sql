-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::text)::text AS "name", ((('2024-06-01T00:00:00Z')::timestamptz))::timestamptz AS "updated_at", _0."owner_id", _0."budget", _0."spent"
    FROM "public"."projects" AS _0
    WHERE (_0."owner_id" = $2::int4
      AND _0."open")
    AND ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_0."id")
          AND "m"."account_id" = $2::int4)))
    AND _0."id" = $3::int4 FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."projects" AS _2 SET "name" = _1."name", "updated_at" = _1."updated_at"
    FROM _1
    WHERE (_2."owner_id" = $2::int4
      AND _2."open")
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $2::int4
              AND _1."spent" <= coalesce(_1."budget", 900)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) RETURNING _2."id", (CASE WHEN (_2."owner_id" = $2::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_judged") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = 1) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: "yard" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- $6: the word of alarm 3.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _0 public.projects: permissions.toml:467: in_project(id)
-- _2 public.projects: permissions.toml:469: owner_id = session.user_id AND open
WITH _8 AS MATERIALIZED (SELECT _6."id"::int4 AS "project_id", _7."title" AS "title", _7."place" AS "place", _7."_n"
    FROM unnest($1::text[], $2::int4[]) WITH ORDINALITY AS _7("title", "place", "_n") CROSS JOIN unnest(current_setting('postern.s4', true)::text[]) AS _6("id")
    ORDER BY "_n"), _11 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and(((EXISTS (SELECT
                  FROM "public"."projects" AS "p"
                  WHERE "p"."id" = (_8."project_id")
                  AND "p"."owner_id" = $3::int4))
              AND _8."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _8) AS "ok"), _10 AS (INSERT INTO "public"."tasks" AS _9 ("project_id", "title", "place") SELECT _8."project_id", _8."title", _8."place"
    FROM _8
    WHERE (SELECT _11."ok"
      FROM _11) RETURNING 1) SELECT;
-- $1: title of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [String]
-- $2: place of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [Int]
-- $3: session value user_id, Int
-- $4: the word of alarm 1.
-- _8 public.tasks: permissions.toml:502: own_project(project_id) AND place < 100
SELECT array(SELECT row(_12."id")
    FROM (SELECT _12."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _12 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _12."id" = "k"."k0"::int4) AS _12
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_12."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _12."_place");
-- $1: session value user_id, Int
-- _12 public.projects: permissions.toml:467: in_project(id)
