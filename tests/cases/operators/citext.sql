-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."items" AS _2
    WHERE _2."nick" OPERATOR("ext".~) $1::text::"ext"."citext"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."items" AS _4
    WHERE _4."nick" OPERATOR("ext".~) pg_catalog.similar_to_escape($2::text::"ext"."citext")
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."items" AS _6
    WHERE lower(_6."nick"::text) ^@ lower($3::text)
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."items" AS _8
    WHERE _8."nick" OPERATOR("ext".~~) $4::text::"ext"."citext"
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."items" AS _10
    WHERE _10."nick" OPERATOR("ext".=) ANY ($5::text::"ext"."citext"[])
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."items" AS _12
    WHERE _12."names" OPERATOR(pg_catalog.@>) $6::text::"ext"."citext"[]
    ORDER BY _12."id") UNION ALL SELECT 6::int2, null::int4, _0.c0
  FROM _0;
-- $1: "^an" of the document
-- $2: "A(N|M)N" of the document
-- $3: "AN" of the document
-- $4: "AN%" of the document
-- $5: "{\"ANN\",\"BOB\"}" of the document
-- $6: "{\"ann\"}" of the document
-- _2 public.items: every row
-- _4 public.items: every row
-- _6 public.items: every row
-- _8 public.items: every row
-- _10 public.items: every row
-- _12 public.items: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."nick"
      FROM "public"."items" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."nick" OPERATOR("ext".~) (SELECT $2::text::"ext"."citext")
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."nick"
      FROM "public"."items" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."nick" OPERATOR("ext".~) pg_catalog.similar_to_escape((SELECT $3::text::"ext"."citext"))
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."nick"
      FROM "public"."items" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE lower(_6."nick"::text) ^@ lower((SELECT $4::text))
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."nick"
      FROM "public"."items" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."nick" OPERATOR("ext".~~) (SELECT $5::text::"ext"."citext")
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."nick"
      FROM "public"."items" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE _10."nick" OPERATOR("ext".=) ANY ((SELECT $6::text::"ext"."citext"[])::"ext"."citext"[])
    ORDER BY _10."id") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."names"
      FROM "public"."items" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE _12."names" OPERATOR(pg_catalog.@>) (SELECT $7::text::"ext"."citext"[])
    ORDER BY _12."id") UNION ALL SELECT 6::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "^an" of the document
-- $3: "A(N|M)N" of the document
-- $4: "AN" of the document
-- $5: "AN%" of the document
-- $6: "{\"ANN\",\"BOB\"}" of the document
-- $7: "{\"ann\"}" of the document
-- _2 public.items: permissions.toml:315: owner_id = session.user_id
-- _4 public.items: permissions.toml:315: owner_id = session.user_id
-- _6 public.items: permissions.toml:315: owner_id = session.user_id
-- _8 public.items: permissions.toml:315: owner_id = session.user_id
-- _10 public.items: permissions.toml:315: owner_id = session.user_id
-- _12 public.items: permissions.toml:315: owner_id = session.user_id
