-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE (_2."id" >= ($1::int4[])[1]
      AND _2."id" <= ($1::int4[])[2])
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE (_4."nick" OPERATOR("ext".>=) ($2::text::"ext"."citext"[])[1]
      AND _4."nick" OPERATOR("ext".<=) ($2::text::"ext"."citext"[])[2])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE (_6."code" >= ($3::text[])[1]
      AND _6."code" <= ($3::text[])[2])
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE (_8."code" = $4::text) IS NOT TRUE
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE (_10."nick" OPERATOR("ext".=) $5::text::"ext"."citext") IS NOT TRUE
    ORDER BY _10."id") UNION ALL SELECT 5::int2, null::int4, _0.c0
  FROM _0;
-- $1: "{\"2\",\"4\"}" of the document
-- $2: "{\"ANN\",\"annz\"}" of the document
-- $3: "{\"AB-1\",\"CD-2\"}" of the document
-- $4: "AB-1" of the document
-- $5: "ANN" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row
-- _8 public.items: every row
-- _10 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND (_2."id" >= ($2::int4[])[1]
      AND _2."id" <= ($2::int4[])[2])
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."nick"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE (_4."nick" OPERATOR("ext".>=) ((SELECT $3::text::"ext"."citext"[])::"ext"."citext"[])[1]
      AND _4."nick" OPERATOR("ext".<=) ((SELECT $3::text::"ext"."citext"[])::"ext"."citext"[])[2])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."code"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE (_6."code" >= ((SELECT $4::text[])::text[])[1]
      AND _6."code" <= ((SELECT $4::text[])::text[])[2])
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND (_8."code" = $5::text) IS NOT TRUE
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."nick"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE (_10."nick" OPERATOR("ext".=) (SELECT $6::text::"ext"."citext")) IS NOT TRUE
    ORDER BY _10."id") UNION ALL SELECT 5::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "{\"2\",\"4\"}" of the document
-- $3: "{\"ANN\",\"annz\"}" of the document
-- $4: "{\"AB-1\",\"CD-2\"}" of the document
-- $5: "AB-1" of the document
-- $6: "ANN" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
