-- role: staff
SELECT array(SELECT row(_0."id", _0."name", _1."id" IS NOT NULL, _1."name", array(SELECT row(_2."id")
        FROM "public"."or""ders" AS _2
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_2."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _2."user_id" = _0."id"
        ORDER BY _2."id"
        LIMIT 1))
    FROM (SELECT _0."id", _0."name", _0."team_id"
      FROM "public"."search_users"($2::text, $3::jsonb) AS _0
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_0."team_id")
            AND "m"."user_id" = $1::int4)))
      ORDER BY _0."id" DESC
      LIMIT 2) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    AND ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_1."id")
          AND "m"."user_id" = $1::int4)))
    ORDER BY _0."id" DESC), (SELECT row(count(*), array(SELECT row(_4."id")
        FROM "public"."search_users"($2::text, $3::jsonb) AS _4
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_4."team_id")
              AND "m"."user_id" = $1::int4)))))
    FROM "public"."search_users"($2::text, $3::jsonb) AS _3
    WHERE ((EXISTS (SELECT
          FROM "public"."memberships" AS "m"
          WHERE "m"."team_id" = (_3."team_id")
          AND "m"."user_id" = $1::int4))));
-- $1: session value user_id, Int
-- $2: "a" of the document
-- $3: the whole session
-- _2 public.or"ders: permissions.toml:121: member_of(team_id)
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.teams: permissions.toml:33: member_of(id)
-- _4 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.users: permissions.toml:54: member_of(team_id)

-- role: admin
SELECT array(SELECT row(_0."id", _0."name", _1."id" IS NOT NULL, _1."name", array(SELECT row(_2."id")
        FROM "public"."or""ders" AS _2
        WHERE _2."user_id" = _0."id"
        ORDER BY _2."id"
        LIMIT 1))
    FROM (SELECT _0."id", _0."name", _0."team_id"
      FROM "public"."search_users"($1::text, $2::jsonb) AS _0
      ORDER BY _0."id" DESC
      LIMIT 2) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    ORDER BY _0."id" DESC), (SELECT row(count(*), array(SELECT row(_4."id")
        FROM "public"."search_users"($1::text, $2::jsonb) AS _4))
    FROM "public"."search_users"($1::text, $2::jsonb) AS _3);
-- $1: "a" of the document
-- $2: the whole session
-- _2 public.or"ders: every row
-- _0 public.users: every row
-- _1 public.teams: every row
-- _4 public.users: every row
-- _3 public.users: every row
