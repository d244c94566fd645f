-- role: lead
SELECT array(SELECT row(_0."id", _1."user_id" IS NOT NULL, _1."number", _2."id" IS NOT NULL, _2."name", array(SELECT row(_3."id")
        FROM "public"."users" AS _3
        WHERE ((_3."id" = $1::int4) OR ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_3."team_id")
                AND "m"."user_id" = $1::int4))))
        AND _3."manager_id" = _0."id"
        ORDER BY _3."id"), (SELECT row(count(*))
        FROM "public"."or""ders" AS _4
        WHERE ((_4."user_id" = $1::int4) OR ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_4."team_id")
                AND "m"."user_id" = $1::int4))))
        AND _4."user_id" = _0."id"))
    FROM "public"."users" AS _0
    LEFT JOIN "public"."passports" AS _1 ON _1."user_id" = _0."id"
    AND (_0."id" = $1::int4)
    AND (_1."user_id" = $1::int4)
    LEFT JOIN "public"."teams" AS _2 ON _2."id" = _0."team_id"
    WHERE ((_0."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_0."team_id")
            AND "m"."user_id" = $1::int4))))
    ORDER BY _0."id"), array(SELECT row(_5."id")
    FROM "public"."users" AS _5
    WHERE ((_5."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_5."team_id")
            AND "m"."user_id" = $1::int4))))
    AND EXISTS (SELECT
      FROM "public"."passports" AS _6
      WHERE (_6."user_id" = $1::int4)
      AND _6."user_id" = _5."id"
      AND (_5."id" = $1::int4))), array(SELECT row(_7."id", _8."user_id" IS NOT NULL, _8."expires")
    FROM "public"."users" AS _7
    LEFT JOIN "public"."passports" AS _8 ON _8."user_id" = _7."id"
    AND (_7."id" = $1::int4)
    AND (_8."user_id" = $1::int4)
    WHERE ((_7."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_7."team_id")
            AND "m"."user_id" = $1::int4))))
    ORDER BY _8."expires" NULLS FIRST, _7."id"
    LIMIT 2);
-- $1: session value user_id, Int
-- _3 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _4 public.or"ders: permissions.toml:118: (user_id = session.user_id) OR (member_of(team_id))
-- _0 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _1 public.passports: permissions.toml:60: user_id = session.user_id
-- _2 public.teams: permissions.toml:30: true
-- _5 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _6 public.passports: permissions.toml:60: user_id = session.user_id
-- _7 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _8 public.passports: permissions.toml:60: user_id = session.user_id
