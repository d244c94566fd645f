-- role: admin
SELECT _0."full_name", _3."id" IS NOT NULL, _3."name", _4."id" IS NOT NULL, _4."name"
  FROM "press"."book_authors" AS _0
  LEFT JOIN "public"."users" AS _3 ON _3."id" = _0."user_id"
  LEFT JOIN "public"."users" AS _4 ON _4."id" = _3."manager_id"
  WHERE EXISTS (SELECT
    FROM "public"."users" AS _1
    WHERE _1."id" = _0."user_id"
    AND _1."name" IS NOT NULL
    AND EXISTS (SELECT
      FROM "public"."teams" AS _2
      WHERE _2."id" = _1."team_id"))
  ORDER BY _3."name";
-- _0 press.book_authors: every row
-- _3 public.users: every row
-- _4 public.users: every row
-- _1 public.users: every row
-- _2 public.teams: every row

-- role: customer
SELECT _0."full_name", _3."id" IS NOT NULL, _3."name", _4."id" IS NOT NULL, _4."name"
  FROM (SELECT _0."full_name", _0."user_id"
    FROM "press"."book_authors" AS _0
    WHERE (_0."user_id" = $1::int4)
    OFFSET 0) AS _0
  LEFT JOIN "public"."users" AS _3 ON _3."id" = _0."user_id"
  AND (_3."id" = $1::int4)
  LEFT JOIN "public"."users" AS _4 ON _4."id" = _3."manager_id"
  AND (_4."id" = $1::int4)
  WHERE EXISTS (SELECT
    FROM (SELECT _1."id", _1."name", _1."team_id"
      FROM "public"."users" AS _1
      WHERE (_1."id" = $1::int4)
      AND _1."id" = _0."user_id"
      AND _1."name" IS NOT NULL
      OFFSET 0) AS _1
    WHERE EXISTS (SELECT
      FROM "public"."teams" AS _2
      WHERE _2."id" = _1."team_id"))
  ORDER BY _3."name";
-- $1: session value user_id, Int
-- _0 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.teams: permissions.toml:30: true
