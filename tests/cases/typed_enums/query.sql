-- role: owner
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", _2."mood"::text, "public"."user_mood"(_2.*)::text, null::text, null::int2
    FROM "public"."users" AS _2
    ORDER BY _2."id"
    LIMIT 4) UNION ALL (SELECT 1::int2, null::int4, _4."code", _4."mood"::text, to_json(_4."moods")::text, null::int2
    FROM "public"."assets" AS _4
    ORDER BY _4."id") UNION ALL SELECT 2::int2, null::int4, null::text, null::text, null::text, _0.c0
  FROM _0;
-- _2 public.users: typed_enums.toml:11: true
-- _4 public.assets: typed_enums.toml:23: true
