-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::text)::text AS "name", ((('2024-06-01T00:00:00Z')::timestamptz))::timestamptz AS "updated_at", _0."owner_id", _0."budget", _0."spent"
    FROM "public"."projects" AS _0
    WHERE (_0."owner_id" = $2::int4
      AND _0."open")
    AND _0."id" = $3::int4 FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."projects" AS _2 SET "name" = _1."name", "updated_at" = _1."updated_at"
    FROM _1
    WHERE _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $2::int4
              AND _1."spent" <= coalesce(_1."budget", 900)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) RETURNING _2."id", (CASE WHEN (_2."owner_id" = $2::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_judged") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _3 AS _7), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = 1) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool;
-- $1: "yard" of the document
-- $2: session value user_id, Int
-- $3: "1" of the document
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- $6: the word of alarm 3.
-- _0 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _2 public.projects: permissions.toml:469: owner_id = session.user_id AND open
WITH _10 AS MATERIALIZED (SELECT _8."id"::int4 AS "project_id", _9."title" AS "title", _9."place" AS "place", _9."_n"
    FROM unnest($1::text[], $2::int4[]) WITH ORDINALITY AS _9("title", "place", "_n") CROSS JOIN unnest(current_setting('postern.s4', true)::text[]) AS _8("id")
    ORDER BY "_n"), _13 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and(((EXISTS (SELECT
                  FROM "public"."projects" AS "p"
                  WHERE "p"."id" = (_10."project_id")
                  AND "p"."owner_id" = $3::int4))
              AND _10."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _10) AS "ok"), _12 AS (INSERT INTO "public"."tasks" AS _11 ("project_id", "title", "place") SELECT _10."project_id", _10."title", _10."place"
    FROM _10
    WHERE (SELECT _13."ok"
      FROM _13) RETURNING 1) SELECT;
-- $1: title of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [String]
-- $2: place of the rows $.selectionSet.updateProjectsByPk.args._related.tasks.insert of the request, [Int]
-- $3: session value user_id, Int
-- $4: the word of alarm 1.
-- _10 public.tasks: permissions.toml:502: own_project(project_id) AND place < 100
SELECT array(SELECT row(_14."id")
    FROM (SELECT _14."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _14 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _14."id" = "k"."k0"::int4) AS _14
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_14."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _14."_place");
-- $1: session value user_id, Int
-- _14 public.projects: permissions.toml:467: in_project(id)
