-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int4, null::int2
    FROM "public"."or""ders" AS _2
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _2."user_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4)))
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_2."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _3."name", _2."id"
    LIMIT 2) UNION ALL (SELECT 1::int2, null::int8, _5."id", null::int2
    FROM (SELECT _5."id", _5."_row"
      FROM "public"."memberships" AS "m" CROSS JOIN LATERAL (SELECT _5."id", _5."_row"
        FROM (SELECT _5."id", _5.*::"public"."users" AS "_row"
          FROM "public"."users" AS _5
          WHERE ("m"."team_id" = (_5."team_id"))
          ORDER BY _5."id"
          OFFSET 0) AS _5
        WHERE "public"."user_label"(_5."_row") <> (SELECT $2::text)
        ORDER BY _5."id"
        LIMIT 2) AS _5
      WHERE ("m"."user_id" = $1::int4)
      ORDER BY _5."id"
      LIMIT 2) AS _5
    ORDER BY _5."id") UNION ALL (SELECT 2::int2, _7."id", null::int4, null::int2
    FROM "public"."or""ders" AS _7
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_7."team_id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _7."id") UNION ALL (SELECT 3::int2, _9."id", null::int4, null::int2
    FROM "public"."or""ders" AS _9
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_9."team_id")
          AND "m"."user_id" = $1::int4)))
    LIMIT 1000) UNION ALL SELECT 4::int2, null::int8, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "x" of the document
-- _2 public.or"ders: permissions.toml:121: member_of(team_id)
-- _3 public.users: permissions.toml:54: member_of(team_id)
-- _5 public.users: permissions.toml:54: member_of(team_id)
-- _7 public.or"ders: permissions.toml:121: member_of(team_id)
-- _9 public.or"ders: permissions.toml:121: member_of(team_id)
