-- role: writer
WITH _3 AS (INSERT INTO "public"."projects" AS _2 ("id", "owner_id", "name", "code", "budget", "created_by") OVERRIDING SYSTEM VALUE SELECT _0."id", (($1::int4)::int4)::int4, _0."name", _0."code", _0."budget", (($1::int4)::int4)::int4
    FROM unnest($2::int4[], $3::text[], $4::text[], $5::numeric[]) AS _0("id", "name", "code", "budget") ON CONFLICT ("id") DO UPDATE SET "name" = excluded."name", "code" = excluded."code", "updated_at" = (('2024-06-01T00:00:00Z')::timestamptz)::timestamptz
    WHERE CASE WHEN (_2."owner_id" = $1::int4
      AND _2."open") THEN (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool ELSE false END RETURNING _2."id", CASE WHEN _2.xmax = 0 THEN (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool ELSE (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool END AS "_ok") SELECT set_config('postern.s4', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _3 AS _6), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $3: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $4: code of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $5: budget of the rows $.selectionSet.insertProjects.args.objects of the request, [numeric]
-- $6: the word of alarm 1.
-- $7: the word of alarm 2.
-- $8: the word of alarm 3.
-- _2 public.projects: permissions.toml:469: owner_id = session.user_id AND spent <= coalesce(budget, 900)
-- _2 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _2 public.projects: permissions.toml:468: owner_id = session.user_id AND spent <= coalesce(budget, 900)
-- _2 public.projects: permissions.toml:469: owner_id = session.user_id AND spent <= coalesce(budget, 900)
SELECT (current_setting('postern.s4', true)::int8), array(SELECT row(_7."id", _7."name", _7."code", _7."version", _7."updated_at")
    FROM (SELECT _7."id", _7."name", _7."code", _7."version", _7."updated_at", "k"."place" AS "_place"
      FROM "public"."projects" AS _7 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _7."id" = "k"."k0"::int4) AS _7
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_7."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _7."_place");
-- $1: session value user_id, Int
-- _7 public.projects: permissions.toml:467: in_project(id)
