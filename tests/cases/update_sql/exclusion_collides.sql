-- role: writer
WITH _1 AS MATERIALIZED (SELECT _0."id" AS "_key0", ($1::int4)::int4 AS "owner_id", ($2::int4range)::int4range AS "during"
    FROM "public"."bookings" AS _0
    WHERE (_0."owner_id" = $3::int4)
    AND _0."id" = $4::int4 FOR NO KEY UPDATE OF _0), _3 AS (UPDATE "public"."bookings" AS _2 SET "owner_id" = _1."owner_id", "during" = _1."during"
    FROM _1
    WHERE (_2."owner_id" = $3::int4)
    AND _2."id" = _1."_key0"
    AND (SELECT (CASE WHEN (bool_and((_1."owner_id" = $3::int4) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $5::text) END)::bool
      FROM _1) RETURNING _2."id", _2."owner_id") SELECT array(SELECT row(_4."id")
    FROM _3 AS _4
    WHERE (_4."owner_id" = $3::int4));
-- $1: "2" of the document
-- $2: "[20,22)" of the document
-- $3: session value user_id, Int
-- $4: "1" of the document
-- $5: the word of alarm 1.
-- _0 public.bookings: permissions.toml:621: owner_id = session.user_id
-- _2 public.bookings: permissions.toml:621: owner_id = session.user_id
-- _4 public.bookings: permissions.toml:619: owner_id = session.user_id
