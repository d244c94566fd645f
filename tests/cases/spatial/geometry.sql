-- role: public
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."places" AS _2
    WHERE "ext".ST_Within(_2."spot", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry")
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."places" AS _4
    WHERE "ext".ST_Intersects(_4."spot", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry")
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."places" AS _6
    WHERE "ext".ST_3DIntersects(_6."spot", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry")
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."places" AS _8
    WHERE "ext".ST_Equals(_8."spot", "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry")) UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."places" AS _10
    WHERE "ext".ST_Contains(_10."flat", "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry")) UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."places" AS _12
    WHERE "ext".ST_Crosses(_12."spot", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry")) UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."places" AS _14
    WHERE "ext".ST_Overlaps(_14."flat", "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry")) UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."places" AS _16
    WHERE "ext".ST_Touches(_16."spot", "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry")) UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM "public"."places" AS _18
    WHERE "ext".ST_DWithin(_18."spot", "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry", $7::float8)
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM "public"."places" AS _20
    WHERE "ext".ST_3DDWithin(_20."spot", "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry", $7::float8)
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM "public"."places" AS _22
    WHERE _22."spot" IS NOT NULL
    AND "ext".ST_Within(_22."spot", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry")
    AND NOT (((_22."spot" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry")))) UNION ALL SELECT 11::int2, null::int4, _0.c0
  FROM _0;
-- $1: $.selectionSet.places.args.where.spot._st_within of the request, geometry
-- $2: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $3: "{\"type\":\"Point\",\"coordinates\":[1,1],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $4: "{\"type\":\"MultiPoint\",\"coordinates\":[[1,1],[2,2]],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $5: "{\"type\":\"LineString\",\"coordinates\":[[10,53.5],[11,53.5]]}" of the document
-- $6: $.selectionSet.places.args.where.spot._st_d_within.from of the request, geometry!
-- $7: $.selectionSet.places.args.where.spot._st_d_within.distance of the request, Float!
-- _2 public.places: permissions.toml:233: true
-- _4 public.places: permissions.toml:233: true
-- _6 public.places: permissions.toml:233: true
-- _8 public.places: permissions.toml:233: true
-- _10 public.places: permissions.toml:233: true
-- _12 public.places: permissions.toml:233: true
-- _14 public.places: permissions.toml:233: true
-- _16 public.places: permissions.toml:233: true
-- _18 public.places: permissions.toml:233: true
-- _20 public.places: permissions.toml:233: true
-- _22 public.places: permissions.toml:233: true

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."spot"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE "ext".ST_Within(_2."spot", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry"))
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."spot"
      FROM "public"."places" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE "ext".ST_Intersects(_4."spot", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry"))
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."spot"
      FROM "public"."places" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE "ext".ST_3DIntersects(_6."spot", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry"))
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."spot"
      FROM "public"."places" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE "ext".ST_Equals(_8."spot", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry"))) UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."flat"
      FROM "public"."places" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE "ext".ST_Contains(_10."flat", (SELECT "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry"))) UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."spot"
      FROM "public"."places" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE "ext".ST_Crosses(_12."spot", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry"))) UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."flat"
      FROM "public"."places" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE "ext".ST_Overlaps(_14."flat", (SELECT "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry"))) UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM (SELECT _16."id", _16."spot"
      FROM "public"."places" AS _16
      WHERE (_16."owner_id" = $1::int4)
      OFFSET 0) AS _16
    WHERE "ext".ST_Touches(_16."spot", (SELECT "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry"))) UNION ALL (SELECT 8::int2, _18."id", null::int2
    FROM (SELECT _18."id", _18."spot"
      FROM "public"."places" AS _18
      WHERE (_18."owner_id" = $1::int4)
      OFFSET 0) AS _18
    WHERE "ext".ST_DWithin(_18."spot", (SELECT "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geometry"), (SELECT $8::float8))
    ORDER BY _18."id") UNION ALL (SELECT 9::int2, _20."id", null::int2
    FROM (SELECT _20."id", _20."spot"
      FROM "public"."places" AS _20
      WHERE (_20."owner_id" = $1::int4)
      OFFSET 0) AS _20
    WHERE "ext".ST_3DDWithin(_20."spot", (SELECT "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geometry"), (SELECT $8::float8))
    ORDER BY _20."id") UNION ALL (SELECT 10::int2, _22."id", null::int2
    FROM (SELECT _22."id", _22."spot"
      FROM "public"."places" AS _22
      WHERE (_22."owner_id" = $1::int4)
      AND _22."spot" IS NOT NULL
      OFFSET 0) AS _22
    WHERE "ext".ST_Within(_22."spot", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry"))
    AND NOT (((_22."spot" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry"))))) UNION ALL SELECT 11::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.places.args.where.spot._st_within of the request, geometry
-- $3: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $4: "{\"type\":\"Point\",\"coordinates\":[1,1],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $5: "{\"type\":\"MultiPoint\",\"coordinates\":[[1,1],[2,2]],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $6: "{\"type\":\"LineString\",\"coordinates\":[[10,53.5],[11,53.5]]}" of the document
-- $7: $.selectionSet.places.args.where.spot._st_d_within.from of the request, geometry!
-- $8: $.selectionSet.places.args.where.spot._st_d_within.distance of the request, Float!
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _4 public.places: permissions.toml:236: owner_id = session.user_id
-- _6 public.places: permissions.toml:236: owner_id = session.user_id
-- _8 public.places: permissions.toml:236: owner_id = session.user_id
-- _10 public.places: permissions.toml:236: owner_id = session.user_id
-- _12 public.places: permissions.toml:236: owner_id = session.user_id
-- _14 public.places: permissions.toml:236: owner_id = session.user_id
-- _16 public.places: permissions.toml:236: owner_id = session.user_id
-- _18 public.places: permissions.toml:236: owner_id = session.user_id
-- _20 public.places: permissions.toml:236: owner_id = session.user_id
-- _22 public.places: permissions.toml:236: owner_id = session.user_id
