-- role: admin
SELECT (SELECT row(count(*))
    FROM "public"."teams" AS _0);
-- _0 public.teams: every row
