-- role: owner
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::text, null::int2
    FROM "public"."users" AS _2
    WHERE _2."mood" = $1::text::"public"."mood"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::text, null::int2
    FROM "public"."users" AS _4
    WHERE _4."mood" = ANY ($2::text::"public"."mood"[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", _6."mood"::text, null::int2
    FROM "public"."users" AS _6
    WHERE _6."mood" > $1::text::"public"."mood"
    ORDER BY _6."mood" DESC, _6."id") UNION ALL (SELECT 3::int2, null::int4, _8."code", null::int2
    FROM "public"."assets" AS _8
    WHERE _8."moods" = $3::text::"public"."mood"[]) UNION ALL (SELECT 4::int2, null::int4, _10."code", null::int2
    FROM "public"."assets" AS _10
    WHERE _10."moods" OPERATOR(pg_catalog.@>) $4::text::"public"."mood"[]) UNION ALL SELECT 5::int2, null::int4, null::text, _0.c0
  FROM _0;
-- $1: "sad" of the document
-- $2: "{\"ok\",\"happy\"}" of the document
-- $3: "{\"ok\",\"ok\"}" of the document
-- $4: "{\"sad\"}" of the document
-- _2 public.users: typed_enums.toml:11: true
-- _4 public.users: typed_enums.toml:11: true
-- _6 public.users: typed_enums.toml:11: true
-- _8 public.assets: typed_enums.toml:23: true
-- _10 public.assets: typed_enums.toml:23: true
