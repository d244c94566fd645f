-- role: writer
WITH _3 AS (INSERT INTO "public"."projects" AS _2 ("owner_id", "name", "budget", "spent", "created_by") SELECT _1."owner_id", _1."name", _1."budget", _1."spent", _1."created_by"
    FROM (SELECT ($1::int4)::int4 AS "owner_id", $2::text AS "name", $3::numeric AS "budget", $4::numeric AS "spent", ($1::int4)::int4 AS "created_by") AS _1
    WHERE (CASE WHEN (_1."owner_id" = $1::int4
        AND _1."spent" <= coalesce(_1."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool RETURNING _2."id", (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool AS "_ok") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: name of the row $.selectionSet.insertProjectsOne.args.object of the request, String
-- $3: budget of the row $.selectionSet.insertProjectsOne.args.object of the request, numeric
-- $4: spent of the row $.selectionSet.insertProjectsOne.args.object of the request, numeric
-- $5: the word of alarm 1.
-- $6: the word of alarm 2.
-- _1 public.projects: permissions.toml:468: owner_id = session.user_id AND spent <= coalesce(budget, 900)
-- _2 public.projects: permissions.toml:468: owner_id = session.user_id AND spent <= coalesce(budget, 900)
SELECT array(SELECT row(_6."id")
    FROM (SELECT _6."id", "k"."place" AS "_place"
      FROM "public"."projects" AS _6 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _6."id" = "k"."k0"::int4) AS _6
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_6."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _6."_place");
-- $1: session value user_id, Int
-- _6 public.projects: permissions.toml:467: in_project(id)
