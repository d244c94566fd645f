-- role: staff
SELECT array(SELECT row(_0."id", array(SELECT row(_1."id")
        FROM (SELECT _1."id", _1."share"
          FROM "public"."trap_view" AS _1
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_1."team_id")
                AND "m"."user_id" = $1::int4)))
          OFFSET 0) AS _1
        WHERE _1."share" = _0."id"), _2."share" IS NOT NULL, _2."id", _2."share", _3."id" IS NOT NULL, _3."share")
    FROM "public"."traps" AS _0
    LEFT JOIN LATERAL (SELECT _2."id", _2."share"
      FROM (SELECT _2."id", _2."share"
        FROM "public"."trap_view" AS _2
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_2."team_id")
              AND "m"."user_id" = $1::int4)))
        OFFSET 0) AS _2
      WHERE _2."share" = _0."id"
      LIMIT 1) AS _2 ON true
    LEFT JOIN LATERAL (SELECT _3."id", _3."share"
      FROM "public"."trap_view" AS _3
      WHERE _3."id" = _0."id"
      AND ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_3."team_id")
            AND "m"."user_id" = $1::int4)))
      LIMIT 1) AS _3 ON true
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_0."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _0."id"), array(SELECT row(_4."id", _4."share", array(SELECT row(_7."id")
        FROM "public"."users" AS _7
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_7."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _7."id" = _4."share"), _6."id" IS NOT NULL, _6."name")
    FROM (SELECT _4."id", _4."owner_id", _4."share"
      FROM "public"."trap_view" AS _4
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_4."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _4
    LEFT JOIN "public"."users" AS _6 ON _6."id" = _4."owner_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_6."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE EXISTS (SELECT
      FROM "public"."users" AS _5
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_5."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _5."id" = _4."share")
    ORDER BY _6."name", _4."id"), array(SELECT row(_8."id")
    FROM (SELECT _8."id"
      FROM "public"."traps" AS _8
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_8."team_id")
            AND "m"."user_id" = $1::int4)))
      OFFSET 0) AS _8
    LEFT JOIN LATERAL (SELECT _10."share"
      FROM (SELECT _10."share"
        FROM "public"."trap_view" AS _10
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_10."team_id")
              AND "m"."user_id" = $1::int4)))
        OFFSET 0) AS _10
      WHERE _10."share" = _8."id"
      LIMIT 1) AS _10 ON true
    WHERE EXISTS (SELECT
      FROM (SELECT _9."share", _9."touchy"
        FROM "public"."trap_view" AS _9
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_9."team_id")
              AND "m"."user_id" = $1::int4)))
        OFFSET 0) AS _9
      WHERE _9."share" = _8."id"
      AND _9."touchy" OPERATOR("ext".>) (SELECT $2::text::"ext"."touchy"))
    ORDER BY _10."share", _8."id");
-- $1: session value user_id, Int
-- $2: "a" of the document
-- _1 public.trap_view: permissions.toml:188: member_of(team_id)
-- _0 public.traps: permissions.toml:182: member_of(team_id)
-- _2 public.trap_view: permissions.toml:188: member_of(team_id)
-- _3 public.trap_view: permissions.toml:188: member_of(team_id)
-- _7 public.users: permissions.toml:54: member_of(team_id)
-- _4 public.trap_view: permissions.toml:188: member_of(team_id)
-- _6 public.users: permissions.toml:54: member_of(team_id)
-- _5 public.users: permissions.toml:54: member_of(team_id)
-- _8 public.traps: permissions.toml:182: member_of(team_id)
-- _10 public.trap_view: permissions.toml:188: member_of(team_id)
-- _9 public.trap_view: permissions.toml:188: member_of(team_id)

-- role: customer
SELECT array(SELECT row(_0."id", array(SELECT row(_1."id")
        FROM (SELECT _1."id", _1."share"
          FROM "public"."trap_view" AS _1
          WHERE (_1."owner_id" = $1::int4)
          OFFSET 0) AS _1
        WHERE _1."share" = _0."id"), _2."share" IS NOT NULL, _2."id", _2."share", _3."id" IS NOT NULL, _3."share")
    FROM "public"."traps" AS _0
    LEFT JOIN LATERAL (SELECT _2."id", _2."share"
      FROM (SELECT _2."id", _2."share"
        FROM "public"."trap_view" AS _2
        WHERE (_2."owner_id" = $1::int4)
        OFFSET 0) AS _2
      WHERE _2."share" = _0."id"
      LIMIT 1) AS _2 ON true
    LEFT JOIN LATERAL (SELECT _3."id", _3."share"
      FROM "public"."trap_view" AS _3
      WHERE _3."id" = _0."id"
      AND (_3."owner_id" = $1::int4)
      LIMIT 1) AS _3 ON true
    WHERE (_0."owner_id" = $1::int4)
    ORDER BY _0."id"), array(SELECT row(_4."id", _4."share", array(SELECT row(_7."id")
        FROM "public"."users" AS _7
        WHERE (_7."id" = $1::int4)
        AND _7."id" = _4."share"), _6."id" IS NOT NULL, _6."name")
    FROM (SELECT _4."id", _4."owner_id", _4."share"
      FROM "public"."trap_view" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    LEFT JOIN "public"."users" AS _6 ON _6."id" = _4."owner_id"
    AND (_6."id" = $1::int4)
    WHERE EXISTS (SELECT
      FROM "public"."users" AS _5
      WHERE (_5."id" = $1::int4)
      AND _5."id" = _4."share")
    ORDER BY _6."name", _4."id"), array(SELECT row(_8."id")
    FROM (SELECT _8."id"
      FROM "public"."traps" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    LEFT JOIN LATERAL (SELECT _10."share"
      FROM (SELECT _10."share"
        FROM "public"."trap_view" AS _10
        WHERE (_10."owner_id" = $1::int4)
        OFFSET 0) AS _10
      WHERE _10."share" = _8."id"
      LIMIT 1) AS _10 ON true
    WHERE EXISTS (SELECT
      FROM (SELECT _9."share", _9."touchy"
        FROM "public"."trap_view" AS _9
        WHERE (_9."owner_id" = $1::int4)
        OFFSET 0) AS _9
      WHERE _9."share" = _8."id"
      AND _9."touchy" OPERATOR("ext".>) (SELECT $2::text::"ext"."touchy"))
    ORDER BY _10."share", _8."id");
-- $1: session value user_id, Int
-- $2: "a" of the document
-- _1 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _0 public.traps: permissions.toml:179: owner_id = session.user_id
-- _2 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _3 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _7 public.users: permissions.toml:51: id = session.user_id
-- _4 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _6 public.users: permissions.toml:51: id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _8 public.traps: permissions.toml:179: owner_id = session.user_id
-- _10 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _9 public.trap_view: permissions.toml:185: owner_id = session.user_id
