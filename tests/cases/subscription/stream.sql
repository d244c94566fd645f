-- role: customer
SELECT _0."id", _0."placed_on", _1."id" IS NOT NULL, _1."name", (_0."placed_on")::text, (_0."id")::text
  FROM (SELECT _0."id", _0."user_id", _0."placed_on"
    FROM "public"."or""ders" AS _0
    WHERE (_0."user_id" = $1::int4)
    AND _0."id" > $2::int8
    AND (_0."placed_on">=$3::date
      AND ((_0."placed_on">$3::date) OR (_0."placed_on"=$3::date
          AND (_0."id">$4::int8 OR (_0."id" IS NULL
              AND $4::int8 IS NOT NULL)))))
    ORDER BY _0."placed_on", _0."id"
    LIMIT 2) AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
  AND (_1."id" = $1::int4)
  ORDER BY _0."placed_on", _0."id";
-- batch:
SELECT "_s"."n", "_r".*
  FROM unnest($1::text[], $3::text[], $4::text[]) WITH ORDINALITY AS "_s" ("p1", "p3", "p4", "n") JOIN LATERAL (SELECT true, "_q".*
    FROM (SELECT _0."id", _0."placed_on", _1."id" IS NOT NULL, _1."name", (_0."placed_on")::text, (_0."id")::text
      FROM (SELECT _0."id", _0."user_id", _0."placed_on"
        FROM "public"."or""ders" AS _0
        WHERE (_0."user_id" = "_s"."p1"::int4)
        AND _0."id" > $2::int8
        AND (_0."placed_on">="_s"."p3"::date
          AND ((_0."placed_on">"_s"."p3"::date) OR (_0."placed_on"="_s"."p3"::date
              AND (_0."id">"_s"."p4"::int8 OR (_0."id" IS NULL
                  AND "_s"."p4"::int8 IS NOT NULL)))))
        ORDER BY _0."placed_on", _0."id"
        LIMIT 2) AS _0
      LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
      AND (_1."id" = "_s"."p1"::int4)
      ORDER BY _0."placed_on", _0."id") AS "_q"
    OFFSET 0) AS "_r" ON true;
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: position 0, first $.selectionSet.ordersStream.args.cursor[0].initial_value.placedOn of the request, date!
-- $4: position 1, first null
-- _0 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id

-- role: admin
SELECT _0."id", _0."placed_on", _1."id" IS NOT NULL, _1."name", (_0."placed_on")::text, (_0."id")::text
  FROM (SELECT _0."id", _0."user_id", _0."placed_on"
    FROM "public"."or""ders" AS _0
    WHERE _0."id" > $1::int8
    AND (_0."placed_on">=$2::date
      AND ((_0."placed_on">$2::date) OR (_0."placed_on"=$2::date
          AND (_0."id">$3::int8 OR (_0."id" IS NULL
              AND $3::int8 IS NOT NULL)))))
    ORDER BY _0."placed_on", _0."id"
    LIMIT 2) AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
  ORDER BY _0."placed_on", _0."id";
-- batch:
SELECT "_s"."n", "_r".*
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS "_s" ("p2", "p3", "n") JOIN LATERAL (SELECT true, "_q".*
    FROM (SELECT _0."id", _0."placed_on", _1."id" IS NOT NULL, _1."name", (_0."placed_on")::text, (_0."id")::text
      FROM (SELECT _0."id", _0."user_id", _0."placed_on"
        FROM "public"."or""ders" AS _0
        WHERE _0."id" > $1::int8
        AND (_0."placed_on">="_s"."p2"::date
          AND ((_0."placed_on">"_s"."p2"::date) OR (_0."placed_on"="_s"."p2"::date
              AND (_0."id">"_s"."p3"::int8 OR (_0."id" IS NULL
                  AND "_s"."p3"::int8 IS NOT NULL)))))
        ORDER BY _0."placed_on", _0."id"
        LIMIT 2) AS _0
      LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
      ORDER BY _0."placed_on", _0."id") AS "_q"
    OFFSET 0) AS "_r" ON true;
-- $1: "0" of the document
-- $2: position 0, first $.selectionSet.ordersStream.args.cursor[0].initial_value.placedOn of the request, date!
-- $3: position 1, first null
-- _0 public.or"ders: every row
-- _1 public.users: every row
