-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*), max(_7."ratio"), array(SELECT row(_8."id")
          FROM (SELECT _8."id", _8."ratio"
            FROM "public"."ratios" AS _8
            WHERE (_8."user_id" = $1::int4)
            OFFSET 0) AS _8
          WHERE _8."ratio" > (SELECT $2::int4)))
      FROM (SELECT _7."ratio"
        FROM "public"."ratios" AS _7
        WHERE (_7."user_id" = $1::int4)
        OFFSET 0) AS _7
      WHERE _7."ratio" > (SELECT $2::int4))) (SELECT 0::int2, _2."id", null::bool, null::text, null::record
    FROM (SELECT _2."id", _2."ratio"
      FROM "public"."ratios" AS _2
      WHERE (_2."user_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."ratio" = ANY ((SELECT $3::int4[])::int4[])
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::bool, null::text, null::record
    FROM (SELECT _4."id", _4."ratio"
      FROM "public"."ratios" AS _4
      WHERE (_4."user_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."ratio" <> ALL ((SELECT $4::int4[])::int4[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::bool, null::text, null::record
    FROM (SELECT _6."id", _6."ratio", _6."dividend"
      FROM "public"."ratios" AS _6
      WHERE (_6."user_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE (((_6."ratio" IS NULL)) OR (NOT (((_6."dividend" ~~ (SELECT $5::text))))))
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _10."id", _11."id" IS NOT NULL, _11."name", null::record
    FROM (SELECT _10."id", _10."user_id", _10."ratio"
      FROM (SELECT _10."id", _10."user_id", _10."ratio"
        FROM "public"."ratios" AS _10
        WHERE (_10."user_id" = $1::int4)
        OFFSET 0) AS _10
      WHERE _10."ratio" > (SELECT $6::int4)
      ORDER BY _10."ratio" DESC
      LIMIT 1) AS _10
    LEFT JOIN "public"."users" AS _11 ON _11."id" = _10."user_id"
    AND (_11."id" = $1::int4)
    ORDER BY _10."ratio" DESC) UNION ALL SELECT 4::int2, null::int4, null::bool, null::text, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: "{\"5\",\"-2\"}" of the document
-- $4: "{\"5\"}" of the document
-- $5: "1%" of the document
-- $6: "-10" of the document
-- _8 public.ratios: permissions.toml:165: user_id = session.user_id
-- _7 public.ratios: permissions.toml:165: user_id = session.user_id
-- _2 public.ratios: permissions.toml:165: user_id = session.user_id
-- _4 public.ratios: permissions.toml:165: user_id = session.user_id
-- _6 public.ratios: permissions.toml:165: user_id = session.user_id
-- _10 public.ratios: permissions.toml:165: user_id = session.user_id
-- _11 public.users: permissions.toml:51: id = session.user_id
