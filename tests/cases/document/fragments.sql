-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _3."id" IS NOT NULL, _3."name", _3."id", _2."name", null::int2
    FROM (SELECT _2."id", _2."name", _2."team_id"
      FROM "public"."users" AS _2
      ORDER BY _2."id"
      LIMIT 1) AS _2
    LEFT JOIN "public"."teams" AS _3 ON _3."id" = _2."team_id"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::bool, _5."name", null::int4, null::text, null::int2
    FROM "public"."teams" AS _5
    ORDER BY _5."id"
    LIMIT 1) UNION ALL SELECT 2::int2, null::int4, null::bool, null::text, null::int4, null::text, _0.c0
  FROM _0;
-- _2 public.users: every row
-- _3 public.teams: every row
-- _5 public.teams: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _3."id" IS NOT NULL, _3."name", _3."id", _2."name", null::int2
    FROM (SELECT _2."id", _2."name", _2."team_id"
      FROM "public"."users" AS _2
      WHERE (_2."id" = $1::int4)
      ORDER BY _2."id"
      LIMIT 1) AS _2
    LEFT JOIN "public"."teams" AS _3 ON _3."id" = _2."team_id"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _5."id", null::bool, _5."name", null::int4, null::text, null::int2
    FROM "public"."teams" AS _5
    ORDER BY _5."id"
    LIMIT 1) UNION ALL SELECT 2::int2, null::int4, null::bool, null::text, null::int4, null::text, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.teams: permissions.toml:30: true
-- _5 public.teams: permissions.toml:30: true
