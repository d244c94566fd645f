-- role: lead
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."email"
      FROM "public"."users" AS _0
      WHERE ((_0."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_0."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _0
    WHERE (CASE WHEN (_0."id" = $1::int4) THEN _0."email" END) OPERATOR("ext".~~*) (SELECT $2::text::"ext"."citext")), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."email"
      FROM "public"."users" AS _1
      WHERE ((_1."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_1."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _1
    WHERE (CASE WHEN (_1."id" = $1::int4) THEN _1."email" END) OPERATOR("ext".~~*) (SELECT $3::text::"ext"."citext")), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."email"
      FROM "public"."users" AS _2
      WHERE ((_2."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_2."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _2
    WHERE (CASE WHEN (_2."id" = $1::int4) THEN _2."email" END) IS NULL
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."nick"
      FROM "public"."users" AS _3
      WHERE ((_3."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_3."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _3
    WHERE NOT ((((CASE WHEN (_3."id" = $1::int4) THEN _3."nick" END) = (SELECT $4::text)))));
-- $1: session value user_id, Int
-- $2: "%bob%" of the document
-- $3: "%ada%" of the document
-- $4: "bob" of the document
-- _0 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _1 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _2 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _3 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
