-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."ratio"
      FROM "public"."ratios" AS _0
      WHERE (_0."user_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."ratio" = ANY ((SELECT $2::int4[])::int4[])
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."ratio"
      FROM "public"."ratios" AS _1
      WHERE (_1."user_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE _1."ratio" <> ALL ((SELECT $3::int4[])::int4[])
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."ratio", _2."dividend"
      FROM "public"."ratios" AS _2
      WHERE (_2."user_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE (((_2."ratio" IS NULL)) OR (NOT (((_2."dividend" ~~ (SELECT $4::text))))))
    ORDER BY _2."id"), (SELECT row(count(*), max(_3."ratio"), array(SELECT row(_4."id")
        FROM (SELECT _4."id", _4."ratio"
          FROM "public"."ratios" AS _4
          WHERE (_4."user_id" = $1::int4)
          OFFSET 0) AS _4
        WHERE _4."ratio" > (SELECT $5::int4)))
    FROM (SELECT _3."ratio"
      FROM "public"."ratios" AS _3
      WHERE (_3."user_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE _3."ratio" > (SELECT $5::int4)), array(SELECT row(_5."id", _6."id" IS NOT NULL, _6."name")
    FROM (SELECT _5."id", _5."user_id", _5."ratio"
      FROM (SELECT _5."id", _5."user_id", _5."ratio"
        FROM "public"."ratios" AS _5
        WHERE (_5."user_id" = $1::int4)
        OFFSET 0) AS _5
      WHERE _5."ratio" > (SELECT $6::int4)
      ORDER BY _5."ratio" DESC
      LIMIT 1) AS _5
    LEFT JOIN "public"."users" AS _6 ON _6."id" = _5."user_id"
    AND (_6."id" = $1::int4)
    ORDER BY _5."ratio" DESC);
-- $1: session value user_id, Int
-- $2: "{\"5\",\"-2\"}" of the document
-- $3: "{\"5\"}" of the document
-- $4: "1%" of the document
-- $5: "0" of the document
-- $6: "-10" of the document
-- _0 public.ratios: permissions.toml:165: user_id = session.user_id
-- _1 public.ratios: permissions.toml:165: user_id = session.user_id
-- _2 public.ratios: permissions.toml:165: user_id = session.user_id
-- _4 public.ratios: permissions.toml:165: user_id = session.user_id
-- _3 public.ratios: permissions.toml:165: user_id = session.user_id
-- _5 public.ratios: permissions.toml:165: user_id = session.user_id
-- _6 public.users: permissions.toml:51: id = session.user_id
