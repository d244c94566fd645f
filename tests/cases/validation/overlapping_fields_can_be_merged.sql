-- role: admin
SELECT array(SELECT row(_0."id", _0."name")
    FROM "public"."teams" AS _0
    LIMIT 1), array(SELECT row(_1."id", array(SELECT row(_2."id", _2."name")
        FROM "public"."users" AS _2
        WHERE _2."team_id" = _1."id"))
    FROM "public"."teams" AS _1);
-- _0 public.teams: every row
-- _2 public.users: every row
-- _1 public.teams: every row
