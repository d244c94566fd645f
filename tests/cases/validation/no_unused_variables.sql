-- role: admin
SELECT array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE _1."team_id" = _0."id")
  FROM "public"."teams" AS _0;
-- _1 public.users: every row
-- _0 public.teams: every row
