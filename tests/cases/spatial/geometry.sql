-- role: public
SELECT array(SELECT row(_0."id")
    FROM "public"."places" AS _0
    WHERE "ext".ST_Within(_0."spot", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry")
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."places" AS _1
    WHERE "ext".ST_Intersects(_1."spot", "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry")
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."places" AS _2
    WHERE "ext".ST_3DIntersects(_2."spot", "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry")
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."places" AS _3
    WHERE "ext".ST_Equals(_3."spot", "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry")), array(SELECT row(_4."id")
    FROM "public"."places" AS _4
    WHERE "ext".ST_Contains(_4."flat", "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry")), array(SELECT row(_5."id")
    FROM "public"."places" AS _5
    WHERE "ext".ST_Crosses(_5."spot", "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry")), array(SELECT row(_6."id")
    FROM "public"."places" AS _6
    WHERE "ext".ST_Overlaps(_6."flat", "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geometry")), array(SELECT row(_7."id")
    FROM "public"."places" AS _7
    WHERE "ext".ST_Touches(_7."spot", "ext".ST_GeomFromGeoJSON($8::text)::"ext"."geometry")), array(SELECT row(_8."id")
    FROM "public"."places" AS _8
    WHERE "ext".ST_DWithin(_8."spot", "ext".ST_GeomFromGeoJSON($9::text)::"ext"."geometry", $10::float8)
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM "public"."places" AS _9
    WHERE "ext".ST_3DDWithin(_9."spot", "ext".ST_GeomFromGeoJSON($11::text)::"ext"."geometry", $12::float8)
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM "public"."places" AS _10
    WHERE _10."spot" IS NOT NULL
    AND "ext".ST_Within(_10."spot", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry")
    AND NOT (((_10."spot" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry"))));
-- $1: $.selectionSet.places.args.where.spot._st_within of the request, geometry
-- $2: $.selectionSet.places.args.where.spot._st_intersects of the request, geometry
-- $3: $.selectionSet.places.args.where.spot._st_3d_intersects of the request, geometry
-- $4: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $5: "{\"type\":\"Point\",\"coordinates\":[1,1],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $6: $.selectionSet.places.args.where.spot._st_crosses of the request, geometry
-- $7: "{\"type\":\"MultiPoint\",\"coordinates\":[[1,1],[2,2]],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $8: "{\"type\":\"LineString\",\"coordinates\":[[10,53.5],[11,53.5]]}" of the document
-- $9: $.selectionSet.places.args.where.spot._st_d_within.from of the request, geometry!
-- $10: $.selectionSet.places.args.where.spot._st_d_within.distance of the request, Float!
-- $11: $.selectionSet.places.args.where.spot._st_3d_d_within.from of the request, geometry!
-- $12: $.selectionSet.places.args.where.spot._st_3d_d_within.distance of the request, Float!
-- _0 public.places: permissions.toml:233: true
-- _1 public.places: permissions.toml:233: true
-- _2 public.places: permissions.toml:233: true
-- _3 public.places: permissions.toml:233: true
-- _4 public.places: permissions.toml:233: true
-- _5 public.places: permissions.toml:233: true
-- _6 public.places: permissions.toml:233: true
-- _7 public.places: permissions.toml:233: true
-- _8 public.places: permissions.toml:233: true
-- _9 public.places: permissions.toml:233: true
-- _10 public.places: permissions.toml:233: true

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."spot"
      FROM "public"."places" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE "ext".ST_Within(_0."spot", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry"))
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."spot"
      FROM "public"."places" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE "ext".ST_Intersects(_1."spot", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry"))
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."spot"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE "ext".ST_3DIntersects(_2."spot", (SELECT "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry"))
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."spot"
      FROM "public"."places" AS _3
      WHERE (_3."owner_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE "ext".ST_Equals(_3."spot", (SELECT "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry"))), array(SELECT row(_4."id")
    FROM (SELECT _4."id", _4."flat"
      FROM "public"."places" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE "ext".ST_Contains(_4."flat", (SELECT "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry"))), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5."spot"
      FROM "public"."places" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE "ext".ST_Crosses(_5."spot", (SELECT "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geometry"))), array(SELECT row(_6."id")
    FROM (SELECT _6."id", _6."flat"
      FROM "public"."places" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE "ext".ST_Overlaps(_6."flat", (SELECT "ext".ST_GeomFromGeoJSON($8::text)::"ext"."geometry"))), array(SELECT row(_7."id")
    FROM (SELECT _7."id", _7."spot"
      FROM "public"."places" AS _7
      WHERE (_7."owner_id" = $1::int4)
      OFFSET 0) AS _7
    WHERE "ext".ST_Touches(_7."spot", (SELECT "ext".ST_GeomFromGeoJSON($9::text)::"ext"."geometry"))), array(SELECT row(_8."id")
    FROM (SELECT _8."id", _8."spot"
      FROM "public"."places" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE "ext".ST_DWithin(_8."spot", (SELECT "ext".ST_GeomFromGeoJSON($10::text)::"ext"."geometry"), (SELECT $11::float8))
    ORDER BY _8."id"), array(SELECT row(_9."id")
    FROM (SELECT _9."id", _9."spot"
      FROM "public"."places" AS _9
      WHERE (_9."owner_id" = $1::int4)
      OFFSET 0) AS _9
    WHERE "ext".ST_3DDWithin(_9."spot", (SELECT "ext".ST_GeomFromGeoJSON($12::text)::"ext"."geometry"), (SELECT $13::float8))
    ORDER BY _9."id"), array(SELECT row(_10."id")
    FROM (SELECT _10."id", _10."spot"
      FROM "public"."places" AS _10
      WHERE (_10."owner_id" = $1::int4)
      AND _10."spot" IS NOT NULL
      OFFSET 0) AS _10
    WHERE "ext".ST_Within(_10."spot", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry"))
    AND NOT (((_10."spot" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry")))));
-- $1: session value user_id, Int
-- $2: $.selectionSet.places.args.where.spot._st_within of the request, geometry
-- $3: $.selectionSet.places.args.where.spot._st_intersects of the request, geometry
-- $4: $.selectionSet.places.args.where.spot._st_3d_intersects of the request, geometry
-- $5: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $6: "{\"type\":\"Point\",\"coordinates\":[1,1],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $7: $.selectionSet.places.args.where.spot._st_crosses of the request, geometry
-- $8: "{\"type\":\"MultiPoint\",\"coordinates\":[[1,1],[2,2]],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $9: "{\"type\":\"LineString\",\"coordinates\":[[10,53.5],[11,53.5]]}" of the document
-- $10: $.selectionSet.places.args.where.spot._st_d_within.from of the request, geometry!
-- $11: $.selectionSet.places.args.where.spot._st_d_within.distance of the request, Float!
-- $12: $.selectionSet.places.args.where.spot._st_3d_d_within.from of the request, geometry!
-- $13: $.selectionSet.places.args.where.spot._st_3d_d_within.distance of the request, Float!
-- _0 public.places: permissions.toml:236: owner_id = session.user_id
-- _1 public.places: permissions.toml:236: owner_id = session.user_id
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _3 public.places: permissions.toml:236: owner_id = session.user_id
-- _4 public.places: permissions.toml:236: owner_id = session.user_id
-- _5 public.places: permissions.toml:236: owner_id = session.user_id
-- _6 public.places: permissions.toml:236: owner_id = session.user_id
-- _7 public.places: permissions.toml:236: owner_id = session.user_id
-- _8 public.places: permissions.toml:236: owner_id = session.user_id
-- _9 public.places: permissions.toml:236: owner_id = session.user_id
-- _10 public.places: permissions.toml:236: owner_id = session.user_id
