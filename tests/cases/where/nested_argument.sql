-- role: customer
SELECT _0."id", array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."user_id", _1."team_id", _1."parent_id"
      FROM "public"."or""ders" AS _1
      WHERE (_1."user_id" = $1::int4)
      AND _1."team_id" = _0."id"
      OFFSET 0) AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."users" AS _2
          WHERE (_2."id" = $1::int4)
          AND _2."id" = _1."user_id"
          AND _2."id" = $2::int4)) OR ((_1."parent_id" IS NOT NULL)))
    ORDER BY _1."id"), (SELECT row(count(*))
    FROM (SELECT _3."id", _3."team_id"
      FROM "public"."or""ders" AS _3
      WHERE (_3."user_id" = $1::int4)
      AND _3."team_id" = _0."id"
      OFFSET 0) AS _3
    WHERE EXISTS (SELECT
      FROM "public"."order_lines" AS _4
      WHERE (((_4."order_id") IN (SELECT "o"."id"
            FROM "public"."or""ders" AS "o"
            WHERE "o"."user_id" = $1::int4)))
      AND _4."order_id" = _3."id"))
  FROM "public"."teams" AS _0
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.order_lines: permissions.toml:131: own_order(order_id)
-- _0 public.teams: permissions.toml:30: true

-- role: staff
SELECT _0."id", array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."user_id", _1."team_id", _1."parent_id"
      FROM "public"."or""ders" AS _1
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_1."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _1."team_id" = _0."id"
      OFFSET 0) AS _1
    WHERE ((EXISTS (SELECT
          FROM "public"."users" AS _2
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_2."team_id")
                AND "m"."user_id" = $1::int4)))
          AND _2."id" = _1."user_id"
          AND _2."id" = $2::int4)) OR ((_1."parent_id" IS NOT NULL)))
    ORDER BY _1."id"), (SELECT row(count(*))
    FROM (SELECT _3."id", _3."team_id"
      FROM "public"."or""ders" AS _3
      WHERE ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_3."team_id")
            AND "m"."user_id" = $1::int4)))
      AND _3."team_id" = _0."id"
      OFFSET 0) AS _3
    WHERE EXISTS (SELECT
      FROM "public"."order_lines" AS _4
      WHERE ((EXISTS (SELECT
            FROM "public"."or""ders" AS "o"
            WHERE "o"."id" = (_4."order_id")
            AND (EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = ("o"."team_id")
                AND "m"."user_id" = $1::int4)))))
      AND _4."order_id" = _3."id"))
  FROM "public"."teams" AS _0
  WHERE ((EXISTS (SELECT
        FROM "public"."memberships" AS "m"
        WHERE "m"."team_id" = (_0."id")
        AND "m"."user_id" = $1::int4)))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "1" of the document
-- _1 public.or"ders: permissions.toml:121: member_of(team_id)
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.or"ders: permissions.toml:121: member_of(team_id)
-- _4 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _0 public.teams: permissions.toml:33: member_of(id)
