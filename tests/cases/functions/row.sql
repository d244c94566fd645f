-- role: customer
SELECT array(SELECT row(_0."id", _0."name", _1."id" IS NOT NULL, _1."name")
    FROM (SELECT _0."id", _0."name", _0."team_id"
      FROM unnest(array(SELECT g.v
          FROM (SELECT "public"."user_named"($1::text)
            OFFSET 0) AS g (v)
          WHERE g.v IS DISTINCT
          FROM NULL)) AS _0
      WHERE (_0."id" = $2::int4)
      LIMIT 1) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"), array(SELECT row(_2."id")
    FROM unnest(array(SELECT g.v
        FROM (SELECT "public"."user_named"($3::text)
          OFFSET 0) AS g (v)
        WHERE g.v IS DISTINCT
        FROM NULL)) AS _2
    WHERE (_2."id" = $2::int4)
    LIMIT 1), array(SELECT row(_3."id")
    FROM unnest(array(SELECT g.v
        FROM (SELECT "public"."user_named"($4::text)
          OFFSET 0) AS g (v)
        WHERE g.v IS DISTINCT
        FROM NULL)) AS _3
    WHERE (_3."id" = $2::int4)
    LIMIT 1);
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
    FROM (SELECT _0."id", _0."name", _0."team_id"
      FROM unnest(array(SELECT g.v
          FROM (SELECT "public"."user_named"($1::text)
            OFFSET 0) AS g (v)
          WHERE g.v IS DISTINCT
          FROM NULL)) AS _0
      LIMIT 1) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"), array(SELECT row(_2."id")
    FROM unnest(array(SELECT g.v
        FROM (SELECT "public"."user_named"($2::text)
          OFFSET 0) AS g (v)
        WHERE g.v IS DISTINCT
        FROM NULL)) AS _2
    LIMIT 1), array(SELECT row(_3."id")
    FROM unnest(array(SELECT g.v
        FROM (SELECT "public"."user_named"($3::text)
          OFFSET 0) AS g (v)
        WHERE g.v IS DISTINCT
        FROM NULL)) AS _3
    LIMIT 1);
-- $1: "Ada" of the document
-- $2: "nobody" of the document
-- $3: $.selectionSet.userNamed.args.args.who of the request, String, or null
-- _0 public.users: every row
-- _1 public.teams: every row
-- _2 public.users: every row
-- _3 public.users: every row
