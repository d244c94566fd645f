-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _8 (c0, c1, c2, c3) AS MATERIALIZED (SELECT _9."id", _9."share", _11."id" IS NOT NULL, _11."name"
    FROM (SELECT _9."id", _9."owner_id", _9."share"
      FROM "public"."trap_view" AS _9
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_9."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _9
    LEFT JOIN "public"."users" AS _11 ON _11."id" = _9."owner_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_11."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE EXISTS (SELECT
      FROM "public"."users" AS _10
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_10."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _10."id" = _9."share")
    ORDER BY _11."name", _9."id") (SELECT 0::int2, _2."id", array(SELECT row(_5."id")
      FROM (SELECT _5."id", _5."share"
        FROM "public"."trap_view" AS _5
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_5."team_id")
              AND "m"."user_id" = $1::int4)))
        OFFSET 0) AS _5
      WHERE _5."share" = _2."id"), _6."share" IS NOT NULL, _6."id", _6."share", _7."id" IS NOT NULL, _7."share", null::text, null::int2
    FROM "public"."traps" AS _2
    LEFT JOIN LATERAL (SELECT _6."id", _6."share"
      FROM (SELECT _6."id", _6."share"
        FROM "public"."trap_view" AS _6
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_6."team_id")
              AND "m"."user_id" = $1::int4)))
        OFFSET 0) AS _6
      WHERE _6."share" = _2."id"
      LIMIT 1) AS _6 ON true
    LEFT JOIN LATERAL (SELECT _7."id", _7."share"
      FROM "public"."trap_view" AS _7
      WHERE _7."id" = _2."id"
      AND ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_7."team_id")
            AND "m"."user_id" = $1::int4)))
      LIMIT 1) AS _7 ON true
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _13."id", null::record[], null::bool, null::int4, null::int4, null::bool, null::int4, null::text, null::int2
    FROM "public"."users" AS _13
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_13."team_id")
          AND "m"."user_id" = $1::int4)))
    AND _13."id" = ANY (array(SELECT _8.c1
        FROM _8))) UNION ALL SELECT 2::int2, _8.c0, null::record[], _8.c2, _8.c1, null::int4, null::bool, null::int4, _8.c3, null::int2
  FROM _8 UNION ALL (SELECT 3::int2, _15."id", null::record[], null::bool, null::int4, null::int4, null::bool, null::int4, null::text, null::int2
    FROM (SELECT _15."id"
      FROM "public"."traps" AS _15
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_15."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _15
    LEFT JOIN LATERAL (SELECT _17."share"
      FROM (SELECT _17."share"
        FROM "public"."trap_view" AS _17
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_17."team_id")
              AND "m"."user_id" = $1::int4)))
        OFFSET 0) AS _17
      WHERE _17."share" = _15."id"
      LIMIT 1) AS _17 ON true
    WHERE EXISTS (SELECT
      FROM (SELECT _16."share", _16."touchy"
        FROM "public"."trap_view" AS _16
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_16."team_id")
              AND "m"."user_id" = $1::int4)))
        OFFSET 0) AS _16
      WHERE _16."share" = _15."id"
      AND _16."touchy" OPERATOR("ext".>) (SELECT $2::text::"ext"."touchy"))
    ORDER BY _17."share", _15."id") UNION ALL SELECT 4::int2, null::int4, null::record[], null::bool, null::int4, null::int4, null::bool, null::int4, null::text, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "a" of the document
-- _9 public.trap_view: permissions.toml:188: member_of(team_id)
-- _11 public.users: permissions.toml:54: member_of(team_id)
-- _10 public.users: permissions.toml:54: member_of(team_id)
-- _5 public.trap_view: permissions.toml:188: member_of(team_id)
-- _2 public.traps: permissions.toml:182: member_of(team_id)
-- _6 public.trap_view: permissions.toml:188: member_of(team_id)
-- _7 public.trap_view: permissions.toml:188: member_of(team_id)
-- _13 public.users: permissions.toml:54: member_of(team_id)
-- _15 public.traps: permissions.toml:182: member_of(team_id)
-- _17 public.trap_view: permissions.toml:188: member_of(team_id)
-- _16 public.trap_view: permissions.toml:188: member_of(team_id)

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _8 (c0, c1, c2, c3) AS MATERIALIZED (SELECT _9."id", _9."share", _11."id" IS NOT NULL, _11."name"
    FROM (SELECT _9."id", _9."owner_id", _9."share"
      FROM "public"."trap_view" AS _9
      WHERE (_9."owner_id" = $1::int4)
      OFFSET 0) AS _9
    LEFT JOIN "public"."users" AS _11 ON _11."id" = _9."owner_id"
    AND (_11."id" = $1::int4)
    WHERE EXISTS (SELECT
      FROM "public"."users" AS _10
      WHERE (_10."id" = $1::int4)
      AND _10."id" = _9."share")
    ORDER BY _11."name", _9."id") (SELECT 0::int2, _2."id", array(SELECT row(_5."id")
      FROM (SELECT _5."id", _5."share"
        FROM "public"."trap_view" AS _5
        WHERE (_5."owner_id" = $1::int4)
        OFFSET 0) AS _5
      WHERE _5."share" = _2."id"), _6."share" IS NOT NULL, _6."id", _6."share", _7."id" IS NOT NULL, _7."share", null::text, null::int2
    FROM "public"."traps" AS _2
    LEFT JOIN LATERAL (SELECT _6."id", _6."share"
      FROM (SELECT _6."id", _6."share"
        FROM "public"."trap_view" AS _6
        WHERE (_6."owner_id" = $1::int4)
        OFFSET 0) AS _6
      WHERE _6."share" = _2."id"
      LIMIT 1) AS _6 ON true
    LEFT JOIN LATERAL (SELECT _7."id", _7."share"
      FROM "public"."trap_view" AS _7
      WHERE _7."id" = _2."id"
      AND (_7."owner_id" = $1::int4)
      LIMIT 1) AS _7 ON true
    WHERE (_2."owner_id" = $1::int4)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _13."id", null::record[], null::bool, null::int4, null::int4, null::bool, null::int4, null::text, null::int2
    FROM "public"."users" AS _13
    WHERE (_13."id" = $1::int4)
    AND _13."id" = ANY (array(SELECT _8.c1
        FROM _8))) UNION ALL SELECT 2::int2, _8.c0, null::record[], _8.c2, _8.c1, null::int4, null::bool, null::int4, _8.c3, null::int2
  FROM _8 UNION ALL (SELECT 3::int2, _15."id", null::record[], null::bool, null::int4, null::int4, null::bool, null::int4, null::text, null::int2
    FROM (SELECT _15."id"
      FROM "public"."traps" AS _15
      WHERE (_15."owner_id" = $1::int4)
      OFFSET 0) AS _15
    LEFT JOIN LATERAL (SELECT _17."share"
      FROM (SELECT _17."share"
        FROM "public"."trap_view" AS _17
        WHERE (_17."owner_id" = $1::int4)
        OFFSET 0) AS _17
      WHERE _17."share" = _15."id"
      LIMIT 1) AS _17 ON true
    WHERE EXISTS (SELECT
      FROM (SELECT _16."share", _16."touchy"
        FROM "public"."trap_view" AS _16
        WHERE (_16."owner_id" = $1::int4)
        OFFSET 0) AS _16
      WHERE _16."share" = _15."id"
      AND _16."touchy" OPERATOR("ext".>) (SELECT $2::text::"ext"."touchy"))
    ORDER BY _17."share", _15."id") UNION ALL SELECT 4::int2, null::int4, null::record[], null::bool, null::int4, null::int4, null::bool, null::int4, null::text, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "a" of the document
-- _9 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _11 public.users: permissions.toml:51: id = session.user_id
-- _10 public.users: permissions.toml:51: id = session.user_id
-- _5 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _2 public.traps: permissions.toml:179: owner_id = session.user_id
-- _6 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _7 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _13 public.users: permissions.toml:51: id = session.user_id
-- _15 public.traps: permissions.toml:179: owner_id = session.user_id
-- _17 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _16 public.trap_view: permissions.toml:185: owner_id = session.user_id
