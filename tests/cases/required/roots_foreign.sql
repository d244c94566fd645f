-- role: customer
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."users" AS _0
          WHERE (_0."id" = $1::int4)
          AND _0."id" = $2::int4)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool) SELECT null, null
  FROM _1
  WHERE NOT _1.c0 UNION ALL (SELECT (SELECT row(count(*))
      FROM "public"."or""ders" AS _2
      WHERE (_2."user_id" = $1::int4)
      AND _2."user_id" = $2::int4), array(SELECT row(_3."name")
      FROM "public"."users" AS _3
      WHERE (_3."id" = $1::int4)
      AND _3."id" = $4::int4));
-- $1: session value user_id, Int
-- $2: $.variables.user of the request, Int!
-- $3: the word of alarm 1.
-- $4: "77" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
