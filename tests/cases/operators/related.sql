-- role: customer
SELECT _0."id"
  FROM (SELECT _0."id"
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)
    OFFSET 0) AS _0
  WHERE EXISTS (SELECT
    FROM (SELECT _1."user_id", _1."na""me"
      FROM "public"."or""ders" AS _1
      WHERE (_1."user_id" = $1::int4)
      AND _1."user_id" = _0."id"
      OFFSET 0) AS _1
    WHERE _1."na""me" ~ (SELECT $2::text))
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- $2: "o" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.or"ders: permissions.toml:118: user_id = session.user_id
