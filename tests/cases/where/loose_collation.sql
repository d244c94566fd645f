-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."users" AS _0
    WHERE _0."nick" = $1::text
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."users" AS _1
    WHERE _1."nick" = ANY ($2::text[])
    ORDER BY _1."id");
-- $1: "BOB" of the document
-- $2: "{\"ada\",\"\"}" of the document
-- _0 public.users: every row
-- _1 public.users: every row
