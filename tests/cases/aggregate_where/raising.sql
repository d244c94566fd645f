-- role: customer
SELECT _0."id"
  FROM (SELECT _0."id"
    FROM "public"."users" AS _0
    WHERE (_0."id" = $1::int4)
    OFFSET 0) AS _0
  WHERE EXISTS (SELECT
    FROM (SELECT _1."owner_id", _1."share"
      FROM "public"."trap_view" AS _1
      WHERE (_1."owner_id" = $1::int4)
      AND _1."owner_id" = _0."id"
      OFFSET 0) AS _1
    WHERE _1."share" > (SELECT $2::int4)
    HAVING (count(*) >= $3::int8))
  AND EXISTS (SELECT
    FROM "public"."trap_view" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."owner_id" = _0."id"
    HAVING (sum(_2."share") > $4::numeric));
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: "1" of the document
-- $4: "0" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _2 public.trap_view: permissions.toml:185: owner_id = session.user_id
