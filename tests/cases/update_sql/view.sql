-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::numeric)::numeric AS "budget", _0."owner_id", _0."spent"
    FROM "public"."open_projects" AS _0
    WHERE (_0."owner_id" = $2::int4)
    AND CASE WHEN (_0."owner_id" = $2::int4) THEN _0."spent" > (SELECT $3::numeric) ELSE false END FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."open_projects" AS _2 SET "budget" = _1."budget"
    FROM _1
    WHERE (_2."owner_id" = $2::int4)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $2::int4
              AND _1."spent" <= coalesce(_1."budget", 900)) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) RETURNING _2."id", (CASE WHEN (_2."owner_id" = $2::int4
        AND _2."spent" <= coalesce(_2."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool AS "_judged") SELECT set_config('postern.s4', ((SELECT count(*)
        FROM _3))::text, true) IS NOT NULL, set_config('postern.s5', coalesce((SELECT array_agg(_6."id"::text)::text
        FROM _3 AS _6), '{}'), true) IS NOT NULL;
-- $1: "400" of the document
-- $2: session value user_id, Int
-- $3: "0" of the document
-- $4: the word of alarm 1.
-- $5: the word of alarm 2.
-- _0 public.open_projects: permissions.toml:642: owner_id = session.user_id
-- _2 public.open_projects: permissions.toml:642: owner_id = session.user_id
SELECT (current_setting('postern.s4', true)::int8), array(SELECT row(_7."id", _7."name", _7."budget")
    FROM (SELECT _7."id", _7."owner_id", _7."name", _7."budget", "k"."place" AS "_place"
      FROM "public"."open_projects" AS _7 JOIN unnest(current_setting('postern.s5', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _7."id" = "k"."k0"::int4) AS _7
    WHERE (_7."owner_id" = $1::int4)
    ORDER BY _7."_place");
-- $1: session value user_id, Int
-- _7 public.open_projects: permissions.toml:640: owner_id = session.user_id
