-- role: admin
WITH _0 (c0, c1, c2) AS MATERIALIZED (SELECT array(SELECT row(_3."name")
      FROM "public"."users" AS _3
      WHERE _3."id" = $1::int4), array(SELECT row(_4."name")
      FROM "public"."users" AS _4
      WHERE _4."id" = $2::int4), (SELECT row(count(*))
      FROM "public"."or""ders" AS _5)) (SELECT 0::int2, _2."id", null::int8, null::record[], null::record[], null::record
    FROM "public"."users" AS _2
    ORDER BY _2."id"
    LIMIT 1) UNION ALL (SELECT 1::int2, null::int4, _7."id", null::record[], null::record[], null::record
    FROM "public"."or""ders" AS _7
    ORDER BY _7."id") UNION ALL SELECT 2::int2, null::int4, null::int8, _0.c0, _0.c1, _0.c2
  FROM _0;
-- $1: "2" of the document
-- $2: "77" of the document
-- _3 public.users: every row
-- _4 public.users: every row
-- _5 public.or"ders: every row
-- _2 public.users: every row
-- _7 public.or"ders: every row

-- role: customer
WITH _0 (c0, c1, c2) AS MATERIALIZED (SELECT array(SELECT row(_3."name")
      FROM "public"."users" AS _3
      WHERE (_3."id" = $1::int4)
      AND _3."id" = $2::int4), array(SELECT row(_4."name")
      FROM "public"."users" AS _4
      WHERE (_4."id" = $1::int4)
      AND _4."id" = $3::int4), (SELECT row(count(*))
      FROM "public"."or""ders" AS _5
      WHERE (_5."user_id" = $1::int4))) (SELECT 0::int2, _2."id", null::int8, null::record[], null::record[], null::record
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    ORDER BY _2."id"
    LIMIT 1) UNION ALL (SELECT 1::int2, null::int4, _7."id", null::record[], null::record[], null::record
    FROM "public"."or""ders" AS _7
    WHERE (_7."user_id" = $1::int4)
    ORDER BY _7."id") UNION ALL SELECT 2::int2, null::int4, null::int8, _0.c0, _0.c1, _0.c2
  FROM _0;
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "77" of the document
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _7 public.or"ders: permissions.toml:118: user_id = session.user_id

-- role: staff
WITH _0 (c0, c1, c2) AS MATERIALIZED (SELECT array(SELECT row(_3."name")
      FROM "public"."users" AS _3
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_3."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _3."id" = $2::int4), array(SELECT row(_4."name")
      FROM "public"."users" AS _4
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_4."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _4."id" = $3::int4), (SELECT row(count(*))
      FROM "public"."or""ders" AS _5
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_5."team_id")
            AND "m"."user_id" = $1::int4))))) (SELECT 0::int2, _2."id", null::int8, null::record[], null::record[], null::record
    FROM "public"."users" AS _2
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _2."id"
    LIMIT 1) UNION ALL (SELECT 1::int2, null::int4, _7."id", null::record[], null::record[], null::record
    FROM "public"."or""ders" AS _7
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_7."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _7."id") UNION ALL SELECT 2::int2, null::int4, null::int8, _0.c0, _0.c1, _0.c2
  FROM _0;
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "77" of the document
-- _3 public.users: permissions.toml:54: member_of(team_id)
-- _4 public.users: permissions.toml:54: member_of(team_id)
-- _5 public.or"ders: permissions.toml:121: member_of(team_id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _7 public.or"ders: permissions.toml:121: member_of(team_id)
