-- role: writer
WITH _1 AS (UPDATE "public"."open_projects" AS _0 SET "budget" = $1::numeric
    WHERE (_0."owner_id" = $2::int4)
    AND _0."spent" > $3::numeric RETURNING _0."id", (CASE WHEN (_0."owner_id" = $2::int4
        AND _0."spent" <= coalesce(_0."budget", 900)) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool AS "_judged") SELECT set_config('postern.s2', ((SELECT count(*)
        FROM _1))::text, true) IS NOT NULL, set_config('postern.s3', coalesce((SELECT array_agg(_4."id"::text)::text
        FROM _1 AS _4), '{}'), true) IS NOT NULL;
-- $1: "400" of the document
-- $2: session value user_id, Int
-- $3: "0" of the document
-- $4: the word of alarm 1.
-- _0 public.open_projects: permissions.toml:642: owner_id = session.user_id
SELECT (current_setting('postern.s2', true)::int8), array(SELECT row(_5."id", _5."name", _5."budget")
    FROM (SELECT _5."id", _5."owner_id", _5."name", _5."budget", "k"."place" AS "_place"
      FROM "public"."open_projects" AS _5 JOIN unnest(current_setting('postern.s3', true)::text[]) WITH ORDINALITY AS "k"("k0", "place") ON _5."id" = "k"."k0"::int4) AS _5
    WHERE (_5."owner_id" = $1::int4)
    ORDER BY _5."_place");
-- $1: session value user_id, Int
-- _5 public.open_projects: permissions.toml:640: owner_id = session.user_id
