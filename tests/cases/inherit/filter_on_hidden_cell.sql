-- role: lead
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."email"
      FROM "public"."users" AS _2
      WHERE ((_2."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_2."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _2
    WHERE (CASE WHEN (_2."id" = $1::int4) THEN _2."email" END) OPERATOR("ext".~~*) (SELECT $2::text::"ext"."citext")) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."email"
      FROM "public"."users" AS _4
      WHERE ((_4."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_4."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _4
    WHERE (CASE WHEN (_4."id" = $1::int4) THEN _4."email" END) OPERATOR("ext".~~*) (SELECT $3::text::"ext"."citext")) UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."email"
      FROM "public"."users" AS _6
      WHERE ((_6."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_6."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _6
    WHERE (CASE WHEN (_6."id" = $1::int4) THEN _6."email" END) IS NULL
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."nick"
      FROM "public"."users" AS _8
      WHERE ((_8."id" = $1::int4) OR ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_8."team_id")
              AND "m"."user_id" = $1::int4))))
      OFFSET 0) AS _8
    WHERE NOT ((((CASE WHEN (_8."id" = $1::int4) THEN _8."nick" END) = (SELECT $4::text))))) UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "%bob%" of the document
-- $3: "%ada%" of the document
-- $4: "bob" of the document
-- _2 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _4 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _6 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _8 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
