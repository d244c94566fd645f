-- role: admin
SELECT array(SELECT row(_1."id" IS NOT NULL, array(SELECT row()
        FROM "public"."or""ders" AS _2
        WHERE _2."user_id" = _0."id"
        ORDER BY _2."id"))
    FROM (SELECT _0."id", _0."team_id"
      FROM "public"."users" AS _0
      ORDER BY _0."id"
      LIMIT 2) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    ORDER BY _0."id"), array(SELECT row()
    FROM "public"."teams" AS _4
    ORDER BY _4."id");
-- _2 public.or"ders: every row
-- _0 public.users: every row
-- _1 public.teams: every row
-- _4 public.teams: every row
