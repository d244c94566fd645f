-- role: admin
INSERT INTO "public"."places" AS _2 ("id", "owner_id", "name", "spot", "flat", "globe") VALUES ($1::int4, $2::int4, $3::text, "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry", "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry", "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geography") RETURNING (true), _2."name", "ext".ST_AsGeoJSON(_2."spot", 15, 4), "ext".ST_AsGeoJSON(_2."globe", 15, 4), "ext".ST_AsGeoJSON(_2."flat", 15, 4);
-- $1: id of the row $.selectionSet.insert_places_one.args.object of the request, Int
-- $2: owner_id of the row $.selectionSet.insert_places_one.args.object of the request, Int
-- $3: name of the row $.selectionSet.insert_places_one.args.object of the request, String
-- $4: spot of the row $.selectionSet.insert_places_one.args.object of the request, geometry
-- $5: flat of the row $.selectionSet.insert_places_one.args.object of the request, geometry
-- $6: globe of the row $.selectionSet.insert_places_one.args.object of the request, geography
-- _2 public.places: every row
WITH _3 AS (INSERT INTO "public"."places" AS _2 ("id", "owner_id", "name", "spot", "trail") SELECT _0."id", _0."owner_id", _0."name", "ext".ST_GeomFromGeoJSON(_0."spot")::"ext"."geometry", _0."trail"::"ext"."geometry"[]
    FROM unnest($1::int4[], $2::int4[], $3::text[], $4::text[], $5::text[]) AS _0("id", "owner_id", "name", "spot", "trail") RETURNING _2."name", _2."spot", _2."trail") SELECT array(SELECT row(_4."name", "ext".ST_AsGeoJSON(_4."spot", 15, 4), (SELECT CASE array_ndims(c.v) WHEN 1 THEN (SELECT json_agg("ext".ST_AsGeoJSON(x, 15, 4)::json)
          FROM unnest(c.v) AS x) ELSE to_json(c.v) END
        FROM (SELECT _4."trail" AS v) AS c)::text)
    FROM _3 AS _4);
-- $1: id of the rows $.selectionSet.insert_places.args.objects of the request, [Int]
-- $2: owner_id of the rows $.selectionSet.insert_places.args.objects of the request, [Int]
-- $3: name of the rows $.selectionSet.insert_places.args.objects of the request, [String]
-- $4: spot of the rows $.selectionSet.insert_places.args.objects of the request, [geometry]
-- $5: trail of the rows $.selectionSet.insert_places.args.objects of the request, [[geometry!]]
-- _4 public.places: every row
