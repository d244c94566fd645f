-- role: admin
SELECT _0."id", _1."name" IS NOT NULL, _1."id", _1."name"
  FROM "public"."users" AS _0
  LEFT JOIN LATERAL (SELECT _1."id", _1."name"
    FROM "public"."users" AS _1
    WHERE _1."name" = _0."name"
    LIMIT 1) AS _1 ON true
  WHERE _0."name" <> $1::text
  ORDER BY _0."id";
-- $1: "Ada" of the document
-- _0 public.users: every row
-- _1 public.users: every row
