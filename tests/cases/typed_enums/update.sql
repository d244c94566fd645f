-- role: owner
WITH _1 AS (UPDATE "public"."assets" AS _0 SET "mood" = $1::text::"public"."mood", "moods" = $2::text::"public"."mood"[]
    WHERE _0."mood" = $3::text::"public"."mood" RETURNING _0."code", _0."mood", _0."moods") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."code", _2."mood"::text, to_json(_2."moods")::text)
    FROM _1 AS _2);
-- $1: $.selectionSet.update_assets.args._set.mood of the request, mood, or null
-- $2: $.selectionSet.update_assets.args._set.moods of the request, [mood!], or null
-- $3: "sad" of the document
-- _0 public.assets: typed_enums.toml:25: true
-- _2 public.assets: typed_enums.toml:23: true
