-- role: customer
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."users" AS _0
          WHERE (_0."id" = $1::int4)
          AND _0."id" = $2::int4)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool) SELECT null
  FROM _1
  WHERE NOT _1.c0 UNION ALL (SELECT _2."id"
    FROM "public"."or""ders" AS _2
    WHERE (_2."user_id" = $1::int4)
    AND _2."user_id" = $2::int4
    ORDER BY _2."id"
    LIMIT 2);
-- $1: session value user_id, Int
-- $2: $.variables.user of the request, Int!
-- $3: the word of alarm 1.
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: staff
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."users" AS _0
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_0."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _0."id" = $2::int4)) IS TRUE THEN 't' ELSE (SELECT $3::text) END)::bool) SELECT null
  FROM _1
  WHERE NOT _1.c0 UNION ALL (SELECT _2."id"
    FROM "public"."or""ders" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _2."user_id" = $2::int4
    ORDER BY _2."id"
    LIMIT 2);
-- $1: session value user_id, Int
-- $2: $.variables.user of the request, Int!
-- $3: the word of alarm 1.
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _2 public.or"ders: permissions.toml:121: member_of(team_id)
