-- role: admin
SELECT _1."id" IS NOT NULL, _1."id", _1."id" IS NOT NULL, _1."name", _1."id" IS NOT NULL, _1."id", _1."name", _2."id" IS NOT NULL, _2."id"
  FROM (SELECT _0."id", _0."manager_id"
    FROM "public"."users" AS _0
    ORDER BY _0."id"
    LIMIT 2) AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."manager_id"
  LEFT JOIN "public"."users" AS _2 ON _2."id" = _1."manager_id"
  ORDER BY _0."id";
-- _0 public.users: every row
-- _1 public.users: every row
-- _2 public.users: every row
