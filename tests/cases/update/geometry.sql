-- role: admin
WITH _1 AS (UPDATE "public"."places" AS _0 SET "spot" = "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry", "flat" = "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry", "globe" = "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geography"
    WHERE _0."id" = $4::int4 RETURNING _0."spot", _0."flat", _0."globe") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row("ext".ST_AsGeoJSON(_2."spot", 15, 4), "ext".ST_AsGeoJSON(_2."flat", 15, 4), "ext".ST_AsGeoJSON(_2."globe", 15, 4))
    FROM _1 AS _2);
-- $1: $.selectionSet.update_places.args._set.spot of the request, geometry, or null
-- $2: $.selectionSet.update_places.args._set.flat of the request, geometry, or null
-- $3: $.selectionSet.update_places.args._set.globe of the request, geography, or null
-- $4: "1" of the document
-- _0 public.places: every row
-- _2 public.places: every row
