-- role: writer
WITH _3 AS (INSERT INTO "public"."small_projects" AS _2 ("owner_id", "name", "budget") VALUES (($1::int4)::int4, $2::text, $3::numeric) RETURNING _2."id") SELECT set_config('postern.s4', coalesce((SELECT array_agg(_5."id"::text)::text
        FROM _3 AS _5), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: name of the row $.selectionSet.insertSmallProjectsOne.args.object of the request, String
-- $3: budget of the row $.selectionSet.insertSmallProjectsOne.args.object of the request, numeric
SELECT array(SELECT row(_6."id")
    FROM (SELECT _6."id", _6."owner_id", "k"."place" AS "_place"
      FROM "public"."small_projects" AS _6 JOIN unnest(current_setting('postern.s4', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _6."id" = "k"."k0"::int4) AS _6
    WHERE (_6."owner_id" = $1::int4)
    ORDER BY _6."_place");
-- $1: session value user_id, Int
-- _6 public.small_projects: permissions.toml:645: owner_id = session.user_id
