-- role: customer
SELECT _0."id", _0."name"
  FROM (SELECT _0."id", _0."name"
    FROM "public"."search_users"($1::text, $2::jsonb) AS _0
    WHERE (_0."id" = $3::int4)
    OFFSET 0) AS _0
  WHERE _0."name" ~~ (SELECT $4::text)
  ORDER BY _0."name";
-- $1: $.selectionSet.searchUsers.args.args.query of the request, String, or null
-- $2: the whole session
-- $3: session value user_id, Int
-- $4: $.selectionSet.searchUsers.args.where.name._like of the request, String, a pattern
-- _0 public.users: permissions.toml:51: id = session.user_id

-- role: staff
SELECT _0."id", _0."name"
  FROM (SELECT _0."id", _0."name"
    FROM "public"."search_users"($1::text, $2::jsonb) AS _0
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $3::int4)))
    OFFSET 0) AS _0
  WHERE _0."name" ~~ (SELECT $4::text)
  ORDER BY _0."name";
-- $1: $.selectionSet.searchUsers.args.args.query of the request, String, or null
-- $2: the whole session
-- $3: session value user_id, Int
-- $4: $.selectionSet.searchUsers.args.where.name._like of the request, String, a pattern
-- _0 public.users: permissions.toml:54: member_of(team_id)

-- role: admin
SELECT _0."id", _0."name"
  FROM "public"."search_users"($1::text, $2::jsonb) AS _0
  WHERE _0."name" ~~ $3::text
  ORDER BY _0."name";
-- $1: $.selectionSet.searchUsers.args.args.query of the request, String, or null
-- $2: the whole session
-- $3: $.selectionSet.searchUsers.args.where.name._like of the request, String, a pattern
-- _0 public.users: every row
