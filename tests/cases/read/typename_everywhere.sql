-- role: admin
SELECT array(SELECT row(_1."id" IS NOT NULL, array(SELECT row()
        FROM "public"."users" AS _2
        WHERE _2."team_id" = _1."id"), _3."user_id" IS NOT NULL, (SELECT row(count(*), max(_4."id"), array(SELECT row()
            FROM "public"."or""ders" AS _5
            WHERE _5."user_id" = _0."id"))
        FROM "public"."or""ders" AS _4
        WHERE _4."user_id" = _0."id"))
    FROM (SELECT _0."id", _0."team_id"
      FROM "public"."users" AS _0
      ORDER BY _0."id"
      LIMIT 2) AS _0
    LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
    LEFT JOIN "public"."passports" AS _3 ON _3."user_id" = _0."id"
    ORDER BY _0."id");
-- _2 public.users: every row
-- _5 public.or"ders: every row
-- _4 public.or"ders: every row
-- _0 public.users: every row
-- _1 public.teams: every row
-- _3 public.passports: every row
