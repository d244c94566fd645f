-- role: staff
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", "public"."user_label"(_2."_row"), null::int8, null::record, null::int2
    FROM (SELECT _2."id", _2."name", _2."team_id", _2."_row"
      FROM "public"."memberships" AS "m" CROSS JOIN LATERAL (SELECT _2."id", _2."name", _2."team_id", _2."_row"
        FROM (SELECT _2."id", _2."name", _2."team_id", _2.*::"public"."users" AS "_row"
          FROM "public"."users" AS _2
          WHERE ("m"."team_id" = (_2."team_id"))
          ORDER BY _2."id" DESC
          OFFSET 0) AS _2
        WHERE _2."name" >= (SELECT $1::text)
        AND EXISTS (SELECT
          FROM "public"."teams" AS _3
          WHERE ((EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = (_3."id")
                AND "m"."user_id" = $2::int4)))
          AND _3."id" = _2."team_id"
          AND _3."name" IS NOT NULL)
        ORDER BY _2."id" DESC
        LIMIT 2) AS _2
      WHERE ("m"."user_id" = $2::int4)
      ORDER BY _2."id" DESC
      LIMIT 2) AS _2
    ORDER BY _2."id" DESC) UNION ALL (SELECT 1::int2, null::int4, null::text, _5."id", (SELECT row(count(*))
      FROM "public"."order_lines" AS _7
      WHERE ((EXISTS (SELECT
            FROM "public"."or""ders" AS "o"
            WHERE "o"."id" = (_7."order_id")
            AND (EXISTS (SELECT
                FROM "public"."memberships" AS "m"
                WHERE "m"."team_id" = ("o"."team_id")
                AND "m"."user_id" = $2::int4)))))
      AND _7."order_id" = _5."id"), null::int2
    FROM (SELECT _5."id", _5."status"
      FROM "public"."memberships" AS "m" CROSS JOIN LATERAL (SELECT _5."id", _5."status"
        FROM (SELECT _5."id", _5."status"
          FROM "public"."or""ders" AS _5
          WHERE ("m"."team_id" = (_5."team_id"))
          AND _5."status" IS NOT NULL
          ORDER BY _5."id"
          OFFSET 0) AS _5
        WHERE EXISTS (SELECT
          FROM "public"."order_lines" AS _6
          WHERE ((EXISTS (SELECT
                FROM "public"."or""ders" AS "o"
                WHERE "o"."id" = (_6."order_id")
                AND (EXISTS (SELECT
                    FROM "public"."memberships" AS "m"
                    WHERE "m"."team_id" = ("o"."team_id")
                    AND "m"."user_id" = $2::int4)))))
          AND _6."order_id" = _5."id")
        ORDER BY _5."id"
        LIMIT 4) AS _5
      WHERE ("m"."user_id" = $2::int4)
      ORDER BY _5."id"
      LIMIT 4) AS _5
    ORDER BY _5."id") UNION ALL SELECT 2::int2, null::int4, null::text, null::int8, null::record, _0.c0
  FROM _0;
-- $1: "A" of the document
-- $2: session value user_id, Int
-- _2 public.users: permissions.toml:54: member_of(team_id)
-- _3 public.teams: permissions.toml:33: member_of(id)
-- _7 public.order_lines: permissions.toml:134: order_of_team(order_id)
-- _5 public.or"ders: permissions.toml:121: member_of(team_id)
-- _6 public.order_lines: permissions.toml:134: order_of_team(order_id)
