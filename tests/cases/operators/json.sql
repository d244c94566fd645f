-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE _2."doc" @> $1::jsonb
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE _4."doc" @> $2::jsonb
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE _6."doc" @> $3::jsonb
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE _8."doc" <@ $4::jsonb
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE _10."doc" ? $5::text
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE _12."doc" ?| $6::text[]
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."items" AS _14
    WHERE _14."doc" ?& $7::text[]
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."items" AS _16
    WHERE _16."doc" ?| $8::text[]
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."items" AS _18
    WHERE _18."doc" ?& $8::text[]
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."items" AS _20
    WHERE _20."doc"::text ~~* $9::text
    AND _20."doc"::text !~~ $10::text
    ORDER BY _20."id") UNION ALL SELECT 10::int2, null::int4, _0.c0
  FROM _0;
-- $1: "{\"s\":\"abc\"}" of the document
-- $2: "{\"tags\":[\"red\"]}" of the document
-- $3: $.selectionSet.items.args.where.doc._contains of the request, jsonb
-- $4: "\"text\"" of the document
-- $5: $.selectionSet.items.args.where.doc._has_key of the request, String
-- $6: "{\"big\",\"text\"}" of the document
-- $7: "{\"n\",\"list\"}" of the document
-- $8: "{}" of the document
-- $9: "%ABC%" of the document
-- $10: "%zzz%" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row
-- _8 public.items: every row
-- _10 public.items: every row
-- _12 public.items: every row
-- _14 public.items: every row
-- _16 public.items: every row
-- _18 public.items: every row
-- _20 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."doc"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."doc" @> (SELECT $2::jsonb)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."doc"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."doc" @> (SELECT $3::jsonb)
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."doc"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."doc" @> (SELECT $4::jsonb)
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."doc"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."doc" <@ (SELECT $5::jsonb)
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."doc"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE _10."doc" ? (SELECT $6::text)
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."doc"
      FROM "public"."items" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE _12."doc" ?| (SELECT $7::text[])::text[]
    ORDER BY _12."id") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."doc"
      FROM "public"."items" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE _14."doc" ?& (SELECT $8::text[])::text[]
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM (SELECT _16."id", _16."doc"
      FROM "public"."items" AS _16
      WHERE (_16."owner_id" = $1::int4)
      OFFSET 0) AS _16
    WHERE _16."doc" ?| (SELECT $9::text[])::text[]
    ORDER BY _16."id") UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM (SELECT _18."id", _18."doc"
      FROM "public"."items" AS _18
      WHERE (_18."owner_id" = $1::int4)
      OFFSET 0) AS _18
    WHERE _18."doc" ?& (SELECT $9::text[])::text[]
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM (SELECT _20."id", _20."doc"
      FROM "public"."items" AS _20
      WHERE (_20."owner_id" = $1::int4)
      OFFSET 0) AS _20
    WHERE _20."doc"::text ~~* (SELECT $10::text)
    AND _20."doc"::text !~~ (SELECT $11::text)
    ORDER BY _20."id") UNION ALL SELECT 10::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "{\"s\":\"abc\"}" of the document
-- $3: "{\"tags\":[\"red\"]}" of the document
-- $4: $.selectionSet.items.args.where.doc._contains of the request, jsonb
-- $5: "\"text\"" of the document
-- $6: $.selectionSet.items.args.where.doc._has_key of the request, String
-- $7: "{\"big\",\"text\"}" of the document
-- $8: "{\"n\",\"list\"}" of the document
-- $9: "{}" of the document
-- $10: "%ABC%" of the document
-- $11: "%zzz%" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
-- _12 public.items: permissions.toml:315: owner_id = session.user_id
-- _14 public.items: permissions.toml:315: owner_id = session.user_id
-- _16 public.items: permissions.toml:315: owner_id = session.user_id
-- _18 public.items: permissions.toml:315: owner_id = session.user_id
-- _20 public.items: permissions.toml:315: owner_id = session.user_id
