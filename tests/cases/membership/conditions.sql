-- role: staff
SELECT array(SELECT row(_0."id", "public"."user_label"(_0."_row"))
    FROM (SELECT _0."id", _0."name", _0."team_id", _0."_row"
      FROM "public"."memberships" AS "m" CROSS JOIN LATERAL (SELECT _0."id", _0."name", _0."team_id", _0.*::"public"."users" AS "_row"
        FROM "public"."users" AS _0
        WHERE ("m"."team_id" = (_0."team_id"))
        AND _0."name" >= $1::text
        AND EXISTS (SELECT
          FROM "public"."teams" AS _1
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_1."id")
                AND "m"."user_id" = $2::int4)))
          AND _1."id" = _0."team_id"
          AND _1."name" IS NOT NULL)
        ORDER BY _0."id" DESC
        LIMIT 2) AS _0
      WHERE ("m"."user_id" = $2::int4)
      ORDER BY _0."id" DESC
      LIMIT 2) AS _0
    ORDER BY _0."id" DESC), array(SELECT row(_2."id", (SELECT row(count(*))
        FROM "public"."order_lines" AS _4
        WHERE ((EXISTS (SELECT
              FROM "public"."or""ders" AS "o"
              WHERE "o"."id" = (_4."order_id")
              AND (EXISTS (SELECT
                  FROM "public"."memberships" AS "m"
                  WHERE "m"."team_id" = ("o"."team_id")
                  AND "m"."user_id" = $2::int4)))))
        AND _4."order_id" = _2."id"))
    FROM (SELECT _2."id", _2."status"
      FROM "public"."memberships" AS "m" CROSS JOIN LATERAL (SELECT _2."id", _2."status"
        FROM "public"."or""ders" AS _2
        WHERE ("m"."team_id" = (_2."team_id"))
        AND _2."status" IS NOT NULL
        AND EXISTS (SELECT
          FROM "public"."order_lines" AS _3
          WHERE ((EXISTS (SELECT
                FROM "public"."or""ders" AS "o"
                WHERE "o"."id" = (_3."order_id")
                AND (EXISTS (SELECT
                    FROM "public"."memberships" AS "m"
                    WHERE "m"."team_id" = ("o"."team_id")
                    AND "m"."user_id" = $2::int4)))))
          AND _3."order_id" = _2."id")
        ORDER BY _2."id"
        LIMIT 4) AS _2
      WHERE ("m"."user_id" = $2::int4)
      ORDER BY _2."id"
      LIMIT 4) AS _2
    ORDER BY _2."id");
-- $1: "A" of the document
-- $2: session value user_id, Int
-- _0 public.users: permissions.toml:54: member_of(team_id)
-- _1 public.teams: permissions.toml:33: member_of(id)
-- _4 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _2 public.or"ders: permissions.toml:121: member_of(team_id)
-- _3 public.order_lines: permissions.toml:134: order_of_team(order_id)
