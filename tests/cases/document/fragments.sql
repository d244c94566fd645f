-- role: admin
SELECT array(SELECT row(_0."id", _1."id" IS NOT NULL, _1."name", _1."id", _0."name")
    FROM (SELECT _0."id", _0."name", _0."team_id"
      FROM "public"."users" AS _0
      ORDER BY _0."id"
      LIMIT 1) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    ORDER BY _0."id"), array(SELECT row(_2."name", _2."id")
    FROM "public"."teams" AS _2
    ORDER BY _2."id"
    LIMIT 1);
-- _0 public.users: every row
-- _1 public.teams: every row
-- _2 public.teams: every row

-- role: customer
SELECT array(SELECT row(_0."id", _1."id" IS NOT NULL, _1."name", _1."id", _0."name")
    FROM (SELECT _0."id", _0."name", _0."team_id"
      FROM "public"."users" AS _0
      WHERE (_0."id" = $1::int4)
      ORDER BY _0."id"
      LIMIT 1) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    ORDER BY _0."id"), array(SELECT row(_2."name", _2."id")
    FROM "public"."teams" AS _2
    ORDER BY _2."id"
    LIMIT 1);
-- $1: session value user_id, Int
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.teams: permissions.toml:30: true
-- _2 public.teams: permissions.toml:30: true
