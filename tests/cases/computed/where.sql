-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0.*::"public"."users" AS "_row"
      FROM "public"."users" AS _0
      WHERE (_0."id" = $1::int4)
      OFFSET 0) AS _0
    WHERE "public"."user_label"(_0."_row") ~~ (SELECT $2::text)
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1.*::"public"."users" AS "_row"
      FROM "public"."users" AS _1
      WHERE (_1."id" = $1::int4)
      OFFSET 0) AS _1
    WHERE EXISTS (SELECT
      FROM (SELECT _2."Total Amount"
        FROM "public"."user_orders"(_1."_row") AS _2
        WHERE (_2."user_id" = $1::int4)
        OFFSET 0) AS _2
      WHERE _2."Total Amount" > (SELECT $3::numeric))
    ORDER BY _1."id"), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3.*::"public"."users" AS "_row"
      FROM "public"."users" AS _3
      WHERE (_3."id" = $1::int4)
      OFFSET 0) AS _3
    WHERE EXISTS (SELECT
      FROM (SELECT _4."name"
        FROM "public"."user_boss"(_3."_row") AS _4
        WHERE (_4."id" = $1::int4)
        AND NOT (_4.* IS NULL)
        OFFSET 0) AS _4
      WHERE _4."name" IS NOT NULL)
    ORDER BY _3."id"), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5.*::"public"."users" AS "_row"
      FROM "public"."users" AS _5
      WHERE (_5."id" = $1::int4)
      OFFSET 0) AS _5
    WHERE "public"."user_profile"(_5."_row") IS NOT NULL
    AND "public"."user_words"(_5."_row") = (SELECT $4::text[])
    AND "public"."user_mood"(_5."_row") <> (SELECT $5::text::"public"."mood")
    ORDER BY _5."id"), array(SELECT row(_6."id", "public"."measurement_ratio"(_6."_row"), "public"."measurement_strict_ratio"(_6."_row"), array(SELECT row(_8."id")
        FROM "public"."measurement_users"(_6."_row") AS _8
        WHERE (_8."id" = $1::int4)))
    FROM (SELECT _6."id", _6.*::"public"."measurements" AS "_row"
      FROM "public"."measurements" AS _6
      WHERE (_6."user_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE "public"."measurement_ratio"(_6."_row") > (SELECT $6::int4)
    AND EXISTS (SELECT
      FROM (SELECT _7."id"
        FROM "public"."measurement_users"(_6."_row") AS _7
        WHERE (_7."id" = $1::int4)
        OFFSET 0) AS _7
      WHERE _7."id" > (SELECT $6::int4))
    ORDER BY _6."id");
-- $1: session value user_id, Int
-- $2: "A%" of the document
-- $3: "1" of the document
-- $4: "{\"Ada\"}" of the document
-- $5: "sad" of the document
-- $6: "0" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _6 public.measurements: permissions.toml:159: user_id = session.user_id
-- _7 public.users: permissions.toml:51: id = session.user_id
