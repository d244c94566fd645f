-- role: customer
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."users" AS _0
          WHERE (_0."id" = $1::int4)
          AND _0."id" = $2::int4)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool) SELECT
  FROM _1
  WHERE NOT _1.c0 UNION ALL (SELECT );
-- $1: session value user_id, Int
-- $2: $.variables.user of the request, Int!
-- $3: the word of alarm 1.
-- _0 public.users: permissions.toml:51: id = session.user_id
