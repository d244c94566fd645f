-- role: customer
SELECT array(SELECT row(_0."number", _1."id" IS NOT NULL, "public"."user_label"(_1.*), _2."name" IS NOT NULL, "public"."user_label"(_2."_row"), array(SELECT row("public"."user_label"(_3.*))
        FROM "public"."user_boss"(_2."_row") AS _3
        WHERE (_3."id" = $1::int4)
        AND NOT (_3.* IS NULL)))
    FROM (SELECT _0."number", _0."user_id"
      FROM "public"."passports" AS _0
      WHERE (_0."user_id" = $1::int4)
      ORDER BY _0."number"
      LIMIT 2) AS _0
    LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
    AND (_1."id" = $1::int4)
    LEFT JOIN LATERAL (SELECT _2."name", _2.*::"public"."users" AS "_row"
      FROM "public"."users" AS _2
      WHERE _2."name" = _1."name"
      AND (_2."id" = $1::int4)
      LIMIT 1) AS _2 ON true
    ORDER BY _0."number"), array(SELECT row("public"."measurement_ratio"(_4."_row"), _5."id" IS NOT NULL, "public"."user_label"(_5.*))
    FROM (SELECT _4."user_id", _4."_row"
      FROM (SELECT _4."user_id", _4.*::"public"."measurements" AS "_row"
        FROM "public"."measurements" AS _4
        WHERE (_4."user_id" = $1::int4)
        OFFSET 0) AS _4
      WHERE "public"."measurement_ratio"(_4."_row") < (SELECT $2::int4)
      ORDER BY "public"."measurement_ratio"(_4."_row")
      LIMIT 1) AS _4
    LEFT JOIN "public"."users" AS _5 ON _5."id" = _4."user_id"
    AND (_5."id" = $1::int4)
    ORDER BY "public"."measurement_ratio"(_4."_row")), array(SELECT row("public"."order_total_text"(_6."_row"), _7."id" IS NOT NULL, "public"."user_label"(_7.*))
    FROM (SELECT DISTINCT ON (_6."user_id") _6."id", _6."user_id", _6.*::"public"."or""ders" AS "_row"
      FROM "public"."or""ders" AS _6
      WHERE (_6."user_id" = $1::int4)
      ORDER BY _6."user_id", _6."id" DESC
      LIMIT 2) AS _6
    LEFT JOIN "public"."users" AS _7 ON _7."id" = _6."user_id"
    AND (_7."id" = $1::int4)
    ORDER BY _6."user_id", _6."id" DESC), (SELECT row(count(*), array(SELECT row("public"."order_total_text"(_9."_row"))
        FROM (SELECT _9.*::"public"."or""ders" AS "_row"
          FROM "public"."or""ders" AS _9
          WHERE (_9."user_id" = $1::int4)
          OFFSET 0) AS _9
        WHERE "public"."order_total_text"(_9."_row") <> (SELECT $3::text)
        LIMIT 2))
    FROM (SELECT _8."_row"
      FROM (SELECT _8.*::"public"."or""ders" AS "_row"
        FROM "public"."or""ders" AS _8
        WHERE (_8."user_id" = $1::int4)
        OFFSET 0) AS _8
      WHERE "public"."order_total_text"(_8."_row") <> (SELECT $3::text)
      LIMIT 2) AS _8), array(SELECT row(_10."id", "public"."trap_view_share"(_10."_row"), _11."id" IS NOT NULL, "public"."user_label"(_11.*))
    FROM (SELECT _10."id", _10."owner_id", _10.*::"public"."trap_view" AS "_row"
      FROM "public"."trap_view" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    LEFT JOIN "public"."users" AS _11 ON _11."id" = _10."owner_id"
    AND (_11."id" = $1::int4)
    WHERE "public"."trap_view_share"(_10."_row") > (SELECT $4::int4)
    ORDER BY _10."id");
-- $1: session value user_id, Int
-- $2: "100" of the document
-- $3: "x" of the document
-- $4: "0" of the document
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _0 public.passports: permissions.toml:60: user_id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.measurements: permissions.toml:159: user_id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _7 public.users: permissions.toml:51: id = session.user_id
-- _9 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _8 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _10 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _11 public.users: permissions.toml:51: id = session.user_id
