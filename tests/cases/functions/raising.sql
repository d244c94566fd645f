-- role: customer
SELECT array(SELECT row(_0."id", _0."dividend", "public"."measurement_ratio"(_0."_row"))
    FROM (SELECT _0."id", _0."dividend", _0."divisor", _0.*::"public"."measurements" AS "_row"
      FROM "public"."all_measurements"() AS _0
      WHERE (_0."user_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."divisor" > (SELECT $2::int4)
    ORDER BY _0."id"), (SELECT row(count(*), max(_1."dividend"))
    FROM "public"."all_measurements"() AS _1
    WHERE (_1."user_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: "-100" of the document
-- _0 public.measurements: permissions.toml:159: user_id = session.user_id
-- _1 public.measurements: permissions.toml:159: user_id = session.user_id
