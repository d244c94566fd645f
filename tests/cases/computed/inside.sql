-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*), array(SELECT row("public"."order_total_text"(_13."_row"))
          FROM (SELECT _13.*::"public"."or""ders" AS "_row"
            FROM "public"."or""ders" AS _13
            WHERE (_13."user_id" = $1::int4)
            OFFSET 0) AS _13
          WHERE "public"."order_total_text"(_13."_row") <> (SELECT $2::text)
          LIMIT 2))
      FROM (SELECT _12."_row"
        FROM (SELECT _12.*::"public"."or""ders" AS "_row"
          FROM "public"."or""ders" AS _12
          WHERE (_12."user_id" = $1::int4)
          OFFSET 0) AS _12
        WHERE "public"."order_total_text"(_12."_row") <> (SELECT $2::text)
        LIMIT 2) AS _12)) (SELECT 0::int2, _2."number", _3."id" IS NOT NULL, "public"."user_label"(_3.*), _4."name" IS NOT NULL, "public"."user_label"(_4."_row"), array(SELECT row("public"."user_label"(_5.*))
      FROM unnest(array(SELECT g.v
          FROM (SELECT "public"."user_boss"(_4."_row")
            OFFSET 0) AS g (v)
          WHERE g.v IS DISTINCT
          FROM NULL)) AS _5
      WHERE (_5."id" = $1::int4)
      LIMIT 1), null::int4, null::int4, null::record
    FROM (SELECT _2."number", _2."user_id"
      FROM "public"."passports" AS _2
      WHERE (_2."user_id" = $1::int4)
      ORDER BY _2."number"
      LIMIT 2) AS _2
    LEFT JOIN "public"."users" AS _3 ON _3."id" = _2."user_id"
    AND (_3."id" = $1::int4)
    LEFT JOIN LATERAL (SELECT _4."name", _4.*::"public"."users" AS "_row"
      FROM "public"."users" AS _4
      WHERE _4."name" = _3."name"
      AND (_4."id" = $1::int4)
      LIMIT 1) AS _4 ON true
    ORDER BY _2."number") UNION ALL (SELECT 1::int2, "public"."user_label"(_8.*), _8."id" IS NOT NULL, null::text, null::bool, null::text, null::record[], "public"."measurement_ratio"(_7."_row"), null::int4, null::record
    FROM (SELECT _7."user_id", _7."_row"
      FROM (SELECT _7."user_id", _7.*::"public"."measurements" AS "_row"
        FROM "public"."measurements" AS _7
        WHERE (_7."user_id" = $1::int4)
        OFFSET 0) AS _7
      WHERE "public"."measurement_ratio"(_7."_row") < (SELECT $3::int4)
      ORDER BY "public"."measurement_ratio"(_7."_row")
      LIMIT 1) AS _7
    LEFT JOIN "public"."users" AS _8 ON _8."id" = _7."user_id"
    AND (_8."id" = $1::int4)
    ORDER BY "public"."measurement_ratio"(_7."_row")) UNION ALL (SELECT 2::int2, "public"."order_total_text"(_10."_row"), _11."id" IS NOT NULL, "public"."user_label"(_11.*), null::bool, null::text, null::record[], null::int4, null::int4, null::record
    FROM (SELECT DISTINCT ON (_10."user_id") _10."id", _10."user_id", _10.*::"public"."or""ders" AS "_row"
      FROM "public"."or""ders" AS _10
      WHERE (_10."user_id" = $1::int4)
      ORDER BY _10."user_id", _10."id" DESC
      LIMIT 2) AS _10
    LEFT JOIN "public"."users" AS _11 ON _11."id" = _10."user_id"
    AND (_11."id" = $1::int4)
    ORDER BY _10."user_id", _10."id" DESC) UNION ALL (SELECT 3::int2, "public"."user_label"(_16.*), _16."id" IS NOT NULL, null::text, null::bool, null::text, null::record[], _15."id", "public"."trap_view_share"(_15."_row"), null::record
    FROM (SELECT _15."id", _15."owner_id", _15.*::"public"."trap_view" AS "_row"
      FROM "public"."trap_view" AS _15
      WHERE (_15."owner_id" = $1::int4)
      OFFSET 0) AS _15
    LEFT JOIN "public"."users" AS _16 ON _16."id" = _15."owner_id"
    AND (_16."id" = $1::int4)
    WHERE "public"."trap_view_share"(_15."_row") > (SELECT $4::int4)
    ORDER BY _15."id") UNION ALL SELECT 4::int2, null::text, null::bool, null::text, null::bool, null::text, null::record[], null::int4, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "x" of the document
-- $3: "100" of the document
-- $4: "0" of the document
-- _13 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _12 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _2 public.passports: permissions.toml:60: user_id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _7 public.measurements: permissions.toml:159: user_id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _10 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _11 public.users: permissions.toml:51: id = session.user_id
-- _15 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _16 public.users: permissions.toml:51: id = session.user_id
