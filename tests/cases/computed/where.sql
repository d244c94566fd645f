-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int4, null::int4, null::record[], null::int2
    FROM (SELECT _2."id", _2.*::"public"."users" AS "_row"
      FROM "public"."users" AS _2
      WHERE (_2."id" = $1::int4)
      OFFSET 0) AS _2
    WHERE "public"."user_label"(_2."_row") ~~ (SELECT $2::text)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int4, null::int4, null::record[], null::int2
    FROM (SELECT _4."id", _4.*::"public"."users" AS "_row"
      FROM "public"."users" AS _4
      WHERE (_4."id" = $1::int4)
      OFFSET 0) AS _4
    WHERE EXISTS (SELECT
      FROM (SELECT _5."Total Amount"
        FROM "public"."user_orders"(_4."_row") AS _5
        WHERE (_5."user_id" = $1::int4)
        OFFSET 0) AS _5
      WHERE _5."Total Amount" > (SELECT $3::numeric))
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _7."id", null::int4, null::int4, null::record[], null::int2
    FROM (SELECT _7."id", _7.*::"public"."users" AS "_row"
      FROM "public"."users" AS _7
      WHERE (_7."id" = $1::int4)
      OFFSET 0) AS _7
    WHERE EXISTS (SELECT
      FROM (SELECT _8."name"
        FROM unnest(array(SELECT g.v
            FROM (SELECT "public"."user_boss"(_7."_row")
              OFFSET 0) AS g (v)
            WHERE g.v IS DISTINCT
            FROM NULL)) AS _8
        WHERE (_8."id" = $1::int4)
        OFFSET 0) AS _8
      WHERE _8."name" IS NOT NULL)
    ORDER BY _7."id") UNION ALL (SELECT 3::int2, _10."id", null::int4, null::int4, null::record[], null::int2
    FROM (SELECT _10."id", _10.*::"public"."users" AS "_row"
      FROM "public"."users" AS _10
      WHERE (_10."id" = $1::int4)
      OFFSET 0) AS _10
    WHERE "public"."user_profile"(_10."_row") IS NOT NULL
    AND "public"."user_words"(_10."_row") = (SELECT $4::text[])
    AND "public"."user_mood"(_10."_row") <> (SELECT $5::text::"public"."mood")
    ORDER BY _10."id") UNION ALL (SELECT 4::int2, _12."id", "public"."measurement_ratio"(_12."_row"), "public"."measurement_strict_ratio"(_12."_row"), array(SELECT row(_14."id")
      FROM "public"."measurement_users"(_12."_row") AS _14
      WHERE (_14."id" = $1::int4)), null::int2
    FROM (SELECT _12."id", _12.*::"public"."measurements" AS "_row"
      FROM "public"."measurements" AS _12
      WHERE (_12."user_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE "public"."measurement_ratio"(_12."_row") > (SELECT $6::int4)
    AND EXISTS (SELECT
      FROM (SELECT _13."id"
        FROM "public"."measurement_users"(_12."_row") AS _13
        WHERE (_13."id" = $1::int4)
        OFFSET 0) AS _13
      WHERE _13."id" > (SELECT $6::int4))
    ORDER BY _12."id") UNION ALL SELECT 5::int2, null::int4, null::int4, null::int4, null::record[], _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "A%" of the document
-- $3: "1" of the document
-- $4: "{\"Ada\"}" of the document
-- $5: "sad" of the document
-- $6: "0" of the document
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _7 public.users: permissions.toml:51: id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _10 public.users: permissions.toml:51: id = session.user_id
-- _14 public.users: permissions.toml:51: id = session.user_id
-- _12 public.measurements: permissions.toml:159: user_id = session.user_id
-- _13 public.users: permissions.toml:51: id = session.user_id
