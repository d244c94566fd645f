-- role: customer
SELECT array(SELECT row(_0."id", _0."name", _1."id" IS NOT NULL, _1."name")
    FROM (SELECT _0."id", _0."name", _0."team_id"
      FROM "public"."user_named"($1::text) AS _0
      WHERE (_0."id" = $2::int4)
      AND NOT (_0.* IS NULL)
      OFFSET 0) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"), array(SELECT row(_2."id")
    FROM "public"."user_named"($3::text) AS _2
    WHERE (_2."id" = $2::int4)
    AND NOT (_2.* IS NULL)), array(SELECT row(_3."id")
    FROM "public"."user_named"($4::text) AS _3
    WHERE (_3."id" = $2::int4)
    AND NOT (_3.* IS NULL));
-- $1: "Ada" of the document
-- $2: session value user_id, Int
-- $3: "nobody" of the document
-- $4: $.selectionSet.userNamed.args.args.who of the request, String, or null
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.teams: permissions.toml:30: true
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id

-- role: admin
SELECT array(SELECT row(_0."id", _0."name", _1."id" IS NOT NULL, _1."name")
    FROM "public"."user_named"($1::text) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    WHERE NOT (_0.* IS NULL)), array(SELECT row(_2."id")
    FROM "public"."user_named"($2::text) AS _2
    WHERE NOT (_2.* IS NULL)), array(SELECT row(_3."id")
    FROM "public"."user_named"($3::text) AS _3
    WHERE NOT (_3.* IS NULL));
-- $1: "Ada" of the document
-- $2: "nobody" of the document
-- $3: $.selectionSet.userNamed.args.args.who of the request, String, or null
-- _0 public.users: every row
-- _1 public.teams: every row
-- _2 public.users: every row
-- _3 public.users: every row
