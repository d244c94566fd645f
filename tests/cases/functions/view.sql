-- role: customer
SELECT _0."id", _0."dividend", _1."id" IS NOT NULL, _1."id"
  FROM (SELECT _0."id", _0."user_id", _0."dividend"
    FROM (SELECT _0."id", _0."user_id", _0."dividend"
      FROM "public"."ratios_above"($1::int4) AS _0
      WHERE (_0."user_id" = $2::int4)
      OFFSET 0) AS _0
    WHERE _0."id" > (SELECT $3::int4)
    ORDER BY _0."id"
    LIMIT 2) AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
  AND (_1."id" = $2::int4)
  ORDER BY _0."id";
-- $1: "-100" of the document
-- $2: session value user_id, Int
-- $3: "0" of the document
-- _0 public.ratios: permissions.toml:165: user_id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id

-- role: admin
SELECT _0."id", _0."dividend", _1."id" IS NOT NULL, _1."id"
  FROM (SELECT _0."id", _0."user_id", _0."dividend"
    FROM "public"."ratios_above"($1::int4) AS _0
    WHERE _0."id" > $2::int4
    ORDER BY _0."id"
    LIMIT 2) AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
  ORDER BY _0."id";
-- $1: "-100" of the document
-- $2: "0" of the document
-- _0 public.ratios: every row
-- _1 public.users: every row
