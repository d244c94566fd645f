-- role: clerk
WITH _1 AS MATERIALIZED (SELECT ($1::int4)::int4 AS "owner_id", _0."name" AS "name", (lower('NEW'))::text AS "code", _0."budget" AS "budget", _0."_n"
    FROM unnest($2::text[], $3::numeric[]) WITH ORDINALITY AS _0("name", "budget", "_n")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."budget" > 0) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."projects" AS _2 ("owner_id", "name", "code", "budget") SELECT _1."owner_id", _1."name", _1."code", _1."budget"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) RETURNING 1, (CASE WHEN (_2."budget" > 0) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_ok") SELECT ((SELECT count(*)
      FROM _3));
-- $1: session value user_id, Int
-- $2: name of the rows $.selectionSet.insertProjects.args.objects of the request, [String]
-- $3: budget of the rows $.selectionSet.insertProjects.args.objects of the request, [numeric]
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- _1 public.projects: permissions.toml:479: budget > 0
-- _2 public.projects: permissions.toml:479: budget > 0
