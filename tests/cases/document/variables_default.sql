-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    ORDER BY _0."id" DESC
    LIMIT 2), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE _1."name" = $1::text
    ORDER BY _1."id");
-- $1: $.selectionSet.users.args.where.name._eq of the request, String
-- _0 public.users: every row
-- _1 public.users: every row
