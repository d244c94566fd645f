-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    ORDER BY _0."id" DESC
    LIMIT 2), array(SELECT DISTINCT ON (_1."name") row(_1."name")
    FROM "public"."teams" AS _1
    ORDER BY _1."name");
-- _0 public.users: every row
-- _1 public.teams: every row
