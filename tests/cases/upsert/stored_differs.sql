-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "id", ($1::int4)::int4 AS "owner_id", _0."name" AS "name", _0."code" AS "code", _0."budget" AS "budget", (0)::numeric AS "spent", ($1::int4)::int4 AS "created_by", _0."_n"
    FROM unnest($2::int4[], $3::text[], $4::text[], $5::numeric[]) WITH ORDINALITY AS _0("id", "name", "code", "budget", "_n")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."owner_id" = $1::int4
              AND _1."spent" <= coalesce(_1."budget", 900)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $6::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."projects" AS _2 ("id", "owner_id", "name", "code", "budget", "spent", "created_by") OVERRIDING SYSTEM VALUE SELECT _1."id", _1."owner_id", _1."name", _1."code", _1."budget", _1."spent", _1."created_by"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) ON CONFLICT ("id") DO UPDATE SET "name" = excluded."name", "code" = excluded."code", "updated_at" = ('2024-06-01T00:00:00Z')::timestamptz
    WHERE CASE WHEN (_2."owner_id" = $1::int4
      AND _2."open") THEN (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $7::text) END)::bool ELSE false END RETURNING _2."id", CASE WHEN _2.xmax = 0 THEN (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $8::text) END)::bool ELSE (CASE WHEN (_2."owner_id" = $1::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $9::text) END)::bool END AS "_ok") SELECT set_config('postern.s5', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL, set_config('postern.s6', coalesce((SELECT array_agg(_7."id"::text)::text
        FROM _3 AS _7), '{}'), true) IS NOT NULL;
-- $1: session value user_id, Int
-- $2: id of the rows $.selectionSet.insertProjects.args.objects of the request, [Int]
-- $3: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $4: code of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $5: budget of the rows $.selectionSet.insertProjects.args.objects of the request, [numeric]
-- $6: the word of alarm 1.
-- $7: the word of alarm 2.
-- $8: the word of alarm 3.
-- $9: the word of alarm 4.
-- _1 public.projects: permissions.toml:468: owner_id = session.user_id AND spent <= coalesce(budget, 900)
-- _2 public.projects: permissions.toml:469: owner_id = session.user_id AND spent <= coalesce(budget, 900)
-- _2 public.projects: permissions.toml:469: owner_id = session.user_id AND open
-- _2 public.projects: permissions.toml:468: owner_id = session.user_id AND spent <= coalesce(budget, 900)
-- _2 public.projects: permissions.toml:469: owner_id = session.user_id AND spent <= coalesce(budget, 900)
SELECT (current_setting('postern.s5', true)::int8), array(SELECT row(_8."id", _8."name", _8."code", _8."version", _8."updated_at")
    FROM (SELECT _8."id", _8."name", _8."code", _8."version", _8."updated_at", "k"."place" AS "_place"
      FROM "public"."projects" AS _8 JOIN unnest(current_setting('postern.s6', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _8."id" = "k"."k0"::int4) AS _8
    WHERE ((EXISTS (SELECT
          FROM "public"."project_members" AS "m"
          WHERE "m"."project_id" = (_8."id")
          AND "m"."account_id" = $1::int4)))
    ORDER BY _8."_place");
-- $1: session value user_id, Int
-- _8 public.projects: permissions.toml:467: in_project(id)
