-- role: public
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."products" AS _0
          WHERE (NOT _0."hidden")
          AND _0."id" = $1::uuid)) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool) SELECT null
  FROM _1
  WHERE NOT _1.c0 UNION ALL (SELECT _2."label_id"
    FROM "public"."product_labels" AS _2
    WHERE (_2."product_id" IN (SELECT "p"."id"
        FROM "public"."products" AS "p"
        WHERE NOT "p"."hidden"))
    ORDER BY _2."label_id"
    LIMIT 1);
-- $1: $.variables.product of the request, uuid!
-- $2: the word of alarm 1.
-- _0 public.products: permissions.toml:71: NOT hidden
-- _2 public.product_labels: permissions.toml:95: product_id IN (SELECT p.id FROM products p WHERE NOT p.hidden)

-- role: admin
WITH _1 (c0) AS MATERIALIZED (SELECT (CASE WHEN (EXISTS (SELECT
          FROM "public"."products" AS _0
          WHERE _0."id" = $1::uuid)) IS TRUE THEN 't' ELSE (SELECT $2::text) END)::bool) SELECT null
  FROM _1
  WHERE NOT _1.c0 UNION ALL (SELECT _2."label_id"
    FROM "public"."product_labels" AS _2
    ORDER BY _2."label_id"
    LIMIT 1);
-- $1: $.variables.product of the request, uuid!
-- $2: the word of alarm 1.
-- _0 public.products: every row
-- _2 public.product_labels: every row
