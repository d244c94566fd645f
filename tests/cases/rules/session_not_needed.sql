-- role: customer
SELECT array(SELECT row(_0."id")
    FROM "public"."teams" AS _0
    ORDER BY _0."id"), array(SELECT row(_1."title")
    FROM "public"."products" AS _1
    WHERE (NOT _1."hidden")
    ORDER BY _1."id");
-- _0 public.teams: permissions.toml:30: true
-- _1 public.products: permissions.toml:74: NOT hidden
