-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _2."colour", _2."undercoat", null::int2
    FROM "public"."paints" AS _2
    WHERE (_2."owner_id" = $1::int4)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::text, null::varchar, null::int2
    FROM "public"."paints" AS _4
    WHERE (_4."owner_id" = $1::int4)
    AND _4."colour" = $2::text) UNION ALL (SELECT 2::int2, _6."id", null::text, null::varchar, null::int2
    FROM "public"."paints" AS _6
    WHERE (_6."owner_id" = $1::int4)
    AND _6."colour" = ANY ($3::text[])
    AND _6."undercoat" <> $4::varchar
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::text, null::varchar, null::int2
    FROM "public"."paints" AS _8
    WHERE (_8."owner_id" = $1::int4)
    AND _8."colour" <> ALL ($5::text[])
    AND _8."undercoat" IS NOT NULL
    ORDER BY _8."id") UNION ALL (SELECT DISTINCT ON (_10."colour") 4::int2, _10."id", _10."colour", null::varchar, null::int2
    FROM "public"."paints" AS _10
    WHERE (_10."owner_id" = $1::int4)
    ORDER BY _10."colour" DESC, _10."id") UNION ALL SELECT 5::int2, null::int4, null::text, null::varchar, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "red" of the document
-- $3: "{\"red\",\"dark_green\"}" of the document
-- $4: "blue" of the document
-- $5: "{\"blue\"}" of the document
-- _2 public.paints: permissions.toml:301: owner_id = session.user_id
-- _4 public.paints: permissions.toml:301: owner_id = session.user_id
-- _6 public.paints: permissions.toml:301: owner_id = session.user_id
-- _8 public.paints: permissions.toml:301: owner_id = session.user_id
-- _10 public.paints: permissions.toml:301: owner_id = session.user_id

-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _2."colour", _2."undercoat", null::int2
    FROM "public"."paints" AS _2
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::text, null::varchar, null::int2
    FROM "public"."paints" AS _4
    WHERE _4."colour" = $1::text) UNION ALL (SELECT 2::int2, _6."id", null::text, null::varchar, null::int2
    FROM "public"."paints" AS _6
    WHERE _6."colour" = ANY ($2::text[])
    AND _6."undercoat" <> $3::varchar
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::text, null::varchar, null::int2
    FROM "public"."paints" AS _8
    WHERE _8."colour" <> ALL ($4::text[])
    AND _8."undercoat" IS NOT NULL
    ORDER BY _8."id") UNION ALL (SELECT DISTINCT ON (_10."colour") 4::int2, _10."id", _10."colour", null::varchar, null::int2
    FROM "public"."paints" AS _10
    ORDER BY _10."colour" DESC, _10."id") UNION ALL SELECT 5::int2, null::int4, null::text, null::varchar, _0.c0
  FROM _0;
-- $1: "red" of the document
-- $2: "{\"red\",\"dark_green\"}" of the document
-- $3: "blue" of the document
-- $4: "{\"blue\"}" of the document
-- _2 public.paints: every row
-- _4 public.paints: every row
-- _6 public.paints: every row
-- _8 public.paints: every row
-- _10 public.paints: every row
