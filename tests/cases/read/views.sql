-- role: customer
SELECT _0."id", _0."ratio", _0."dividend", _1."id" IS NOT NULL, _1."name"
  FROM (SELECT _0."id", _0."user_id", _0."ratio", _0."dividend"
    FROM "public"."ratios" AS _0
    WHERE (_0."user_id" = $1::int4)
    AND _0."id" <= $2::int4
    OFFSET 0) AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
  AND (_1."id" = $1::int4)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "2" of the document
-- _0 public.ratios: permissions.toml:165: user_id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id

-- role: admin
SELECT _0."id", _0."ratio", _0."dividend", _1."id" IS NOT NULL, _1."name"
  FROM "public"."ratios" AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
  WHERE _0."id" <= $1::int4
  ORDER BY _0."id";
-- $1: "2" of the document
-- _0 public.ratios: every row
-- _1 public.users: every row
