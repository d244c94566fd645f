-- role: admin
SELECT (SELECT row(count(*), sum(_0."id"), sum(_0."Total Amount"), avg(_0."id"), avg(_0."Total Amount"), min(_0."id"), min(_0."Total Amount"), min(_0."placed_on"), min(_0."status")::text, max(_0."id"), max(_0."Total Amount"), max(_0."placed_on"), max(_0."status")::text, stddev(_0."Total Amount"), stddev_pop(_0."Total Amount"), stddev_samp(_0."Total Amount"), var_pop(_0."Total Amount"), var_samp(_0."Total Amount"), variance(_0."Total Amount"))
    FROM "public"."or""ders" AS _0), (SELECT row(sum(_1."quantity"), sum(_1."price"), avg(_1."quantity"), avg(_1."price"), stddev_pop(_1."quantity"))
    FROM "public"."order_lines" AS _1), (SELECT row(sum(_2."weight"), sum(_2."stock"), sum(_2."discount"), avg(_2."weight"), avg(_2."stock"), max(_2."weight"), max(_2."title"), max(_2."released"))
    FROM "public"."products" AS _2);
-- _0 public.or"ders: every row
-- _1 public.order_lines: every row
-- _2 public.products: every row

-- role: auditor
SELECT (SELECT row(count(*), sum(_0."id"), sum(_0."Total Amount"), avg(_0."id"), avg(_0."Total Amount"), min(_0."id"), min(_0."Total Amount"), min(_0."placed_on"), min(_0."status")::text, max(_0."id"), max(_0."Total Amount"), max(_0."placed_on"), max(_0."status")::text, stddev(_0."Total Amount"), stddev_pop(_0."Total Amount"), stddev_samp(_0."Total Amount"), var_pop(_0."Total Amount"), var_samp(_0."Total Amount"), variance(_0."Total Amount"))
    FROM "public"."or""ders" AS _0), (SELECT row(sum(_1."quantity"), sum(_1."price"), avg(_1."quantity"), avg(_1."price"), stddev_pop(_1."quantity"))
    FROM "public"."order_lines" AS _1), (SELECT row(sum(_2."weight"), sum(_2."stock"), sum(_2."discount"), avg(_2."weight"), avg(_2."stock"), max(_2."weight"), max(_2."title"), max(_2."released"))
    FROM "public"."products" AS _2);
-- _0 public.or"ders: permissions.toml:124: true
-- _1 public.order_lines: permissions.toml:137: true
-- _2 public.products: permissions.toml:80: true
