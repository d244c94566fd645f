-- role: admin
SELECT array(SELECT row(_0."id", _0."name", _1."id" IS NOT NULL, _1."name", (SELECT row(count(*), count(DISTINCT _2."id"), max(_2."id"), max(_2."id"), array(SELECT row(_3."id")
            FROM "public"."or""ders" AS _3
            WHERE _3."user_id" = _0."id"))
        FROM "public"."or""ders" AS _2
        WHERE _2."user_id" = _0."id"))
    FROM (SELECT _0."id", _0."name", _0."team_id"
      FROM "public"."users" AS _0
      ORDER BY _0."id"
      LIMIT 1) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    ORDER BY _0."id"), array(SELECT row(_4."id", _4."id", _4."placed_on")
    FROM "public"."or""ders" AS _4
    ORDER BY _4."id"
    LIMIT 1);
-- _3 public.or"ders: every row
-- _2 public.or"ders: every row
-- _0 public.users: every row
-- _1 public.teams: every row
-- _4 public.or"ders: every row
