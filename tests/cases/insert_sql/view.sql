-- role: writer
WITH _3 AS (INSERT INTO "public"."open_projects" AS _2 ("owner_id", "name", "budget", "spent") SELECT _1."owner_id", _1."name", _1."budget", _1."spent"
    FROM (SELECT ($1::int4)::int4 AS "owner_id", $2::text AS "name", $3::numeric AS "budget", (0)::numeric AS "spent") AS _1
    WHERE (CASE WHEN (_1."spent" <= coalesce(_1."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool RETURNING _2."id", (CASE WHEN (_2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_ok") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: name of the row $.selectionSet.insertOpenProjectsOne.args.object of the request, String
-- $3: budget of the row $.selectionSet.insertOpenProjectsOne.args.object of the request, numeric
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- _1 public.open_projects: permissions.toml:641: spent <= coalesce(budget, 900)
-- _2 public.open_projects: permissions.toml:641: spent <= coalesce(budget, 900)
SELECT array(SELECT row(_6."id", _6."name", _6."spent")
    FROM (SELECT _6."id", _6."owner_id", _6."name", _6."spent", "k"."place" AS "_place"
      FROM "public"."open_projects" AS _6 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _6."id" = "k"."k0"::int4) AS _6
    WHERE (_6."owner_id" = $1::int4)
    ORDER BY _6."_place");
-- $1: session value user_id, Int
-- _6 public.open_projects: permissions.toml:640: owner_id = session.user_id
WITH _3 AS (INSERT INTO "public"."small_projects" AS _2 ("owner_id", "name", "budget") SELECT ($1::int4)::int4, _0."name", _0."budget"
    FROM unnest($2::text[], $3::numeric[]) AS _0("name", "budget") RETURNING _2."id") SELECT set_config('postern.s4', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _3 AS _6), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: name of the rows $.selectionSet.insertSmallProjects.args.objects of the request, [String]
-- $3: budget of the rows $.selectionSet.insertSmallProjects.args.objects of the request, [numeric]
SELECT (current_setting('postern.s4', true)::int8), array(SELECT row(_7."name")
    FROM (SELECT _7."owner_id", _7."name", "k"."place" AS "_place"
      FROM "public"."small_projects" AS _7 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _7."id" = "k"."k0"::int4) AS _7
    WHERE (_7."owner_id" = $1::int4)
    ORDER BY _7."_place");
-- $1: session value user_id, Int
-- _7 public.small_projects: permissions.toml:645: owner_id = session.user_id
