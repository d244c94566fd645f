-- role: writer
WITH _1 AS MATERIALIZED (SELECT ($1::int4)::int4 AS "owner_id", $2::text AS "name", ($1::int4)::int4 AS "created_by", 1::int8 AS "_n"), _3 AS (INSERT INTO "public"."projects" AS _2 ("owner_id", "name", "created_by") SELECT _1."owner_id", _1."name", _1."created_by"
    FROM _1 RETURNING _2."id", (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool AS "_ok") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL
  WHERE (CASE WHEN (((SELECT count(*)
          FROM _3)) = ((SELECT count(*)
          FROM _1))) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool;
-- $1: session value user_id, Int
-- $2: name of the row $.selectionSet.insertProjectsOne.args.object of the request, String
-- $3: the word of alarm 1.
-- $4: the word of alarm 2.
-- _2 public.projects: permissions.toml:468: owner_id = session.user_id AND spent <= coalesce(budget, 900)
WITH _10 AS MATERIALIZED (SELECT _6."id"::int4 AS "project_id", _7."title" AS "title", (0)::int4 AS "place", _7."_n", _7."_p"
    FROM unnest($1::text[], $2::int8[], $3::int8[]) AS _7("title", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _6("id", "_n") ON _6."_n" = _7."_p" UNION ALL SELECT _8."id"::int4 AS "project_id", _9."title" AS "title", _9."place" AS "place", _9."_n", _9."_p"
    FROM unnest($4::text[], $5::int4[], $6::int8[], $7::int8[]) AS _9("title", "place", "_p", "_n") JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS _8("id", "_n") ON _8."_n" = _9."_p"
    ORDER BY "_n"), _13 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and(((EXISTS (SELECT
                  FROM "public"."projects" AS "p"
                  WHERE "p"."id" = (_10."project_id")
                  AND "p"."owner_id" = $8::int4))
              AND _10."place" < 100) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $9::text) END)::bool
      FROM _10) AS "ok"), _12 AS (INSERT INTO "public"."tasks" AS _11 ("project_id", "title", "place") SELECT _10."project_id", _10."title", _10."place"
    FROM _10
    WHERE (SELECT _13."ok"
      FROM _13) RETURNING 1) SELECT;
-- $1: title of the rows $.selectionSet.insertProjectsOne.args.object.tasks.data of the request, [String]
-- $2: the rows that rows of $.selectionSet.insertProjectsOne.args.object.tasks.data come with
-- $3: the numbers of the rows $.selectionSet.insertProjectsOne.args.object.tasks.data
-- $4: title of the rows $.selectionSet.insertProjectsOne.args.object.tasks.data of the request, [String]
-- $5: place of the rows $.selectionSet.insertProjectsOne.args.object.tasks.data of the request, [Int]
-- $6: the rows that rows of $.selectionSet.insertProjectsOne.args.object.tasks.data come with
-- $7: the numbers of the rows $.selectionSet.insertProjectsOne.args.object.tasks.data
-- $8: session value user_id, Int
-- $9: the word of alarm 1.
-- _10 public.tasks: permissions.toml:502: own_project(project_id) AND place < 100
SELECT array(SELECT row(_14."name")
    FROM (SELECT _14."id", _14."name", "k"."place" AS "_place"
      FROM "public"."projects" AS _14 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _14."id" = "k"."k0"::int4) AS _14
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_14."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _14."_place");
-- $1: session value user_id, Int
-- _14 public.projects: permissions.toml:467: in_project(id)
