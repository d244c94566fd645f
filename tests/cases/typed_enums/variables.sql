-- role: owner
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::text, null::int2
    FROM "public"."users" AS _2
    WHERE _2."mood" = $1::text::"public"."mood"
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::text, null::int2
    FROM "public"."users" AS _4
    WHERE _4."mood" = ANY ($2::text::"public"."mood"[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, null::int4, _6."code", null::int2
    FROM "public"."assets" AS _6
    WHERE _6."moods" = $3::text::"public"."mood"[]) UNION ALL (SELECT 3::int2, _8."id", _8."mood"::text, null::int2
    FROM "public"."users" AS _8
    WHERE _8."mood" <> $4::text::"public"."mood"
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, _10."id", null::text, null::int2
    FROM "public"."users" AS _10
    WHERE _10."mood" = $5::text::"public"."mood"
    ORDER BY _10."id") UNION ALL SELECT 5::int2, null::int4, null::text, _0.c0
  FROM _0;
-- $1: $.selectionSet.users.args.where.mood._eq of the request, mood
-- $2: $.selectionSet.users.args.where.mood._in of the request, [mood!], a list
-- $3: $.selectionSet.assets.args.where.moods._eq of the request, [mood!]
-- $4: $.selectionSet.users.args.where.mood._neq of the request, mood
-- $5: $.selectionSet.users.args.where.mood._eq of the request, mood
-- _2 public.users: typed_enums.toml:11: true
-- _4 public.users: typed_enums.toml:11: true
-- _6 public.assets: typed_enums.toml:23: true
-- _8 public.users: typed_enums.toml:11: true
-- _10 public.users: typed_enums.toml:11: true
