-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."places" AS _2
    WHERE _2."spot" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."places" AS _4
    WHERE _4."spot" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."places" AS _6
    WHERE _6."spot" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."places" AS _8
    WHERE _8."spot" OPERATOR("ext".=) ANY ($4::text::"ext"."geometry"[])) UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM "public"."places" AS _10
    WHERE _10."flat" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry") UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM "public"."places" AS _12
    WHERE _12."globe" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geography") UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM "public"."places" AS _14
    WHERE NOT _14."globe" OPERATOR("ext".=) ANY ($7::text::"ext"."geography"[])
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."places" AS _16
    WHERE _16."spot" IS NULL
    ORDER BY _16."id") UNION ALL SELECT 8::int2, null::int4, _0.c0
  FROM _0;
-- $1: $.selectionSet.places.args.where.spot._eq of the request, geometry
-- $2: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $3: $.selectionSet.places.args.where.spot._eq of the request, geometry
-- $4: $.selectionSet.places.args.where.spot._in of the request, [geometry!], a list
-- $5: "{\"type\":\"MultiPoint\",\"coordinates\":[[0,0],[1,1]],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $6: $.selectionSet.places.args.where.globe._eq of the request, geography
-- $7: "{\"SRID=4326;POINT (10 53.5)\"}" of the document
-- _2 public.places: every row
-- _4 public.places: every row
-- _6 public.places: every row
-- _8 public.places: every row
-- _10 public.places: every row
-- _12 public.places: every row
-- _14 public.places: every row
-- _16 public.places: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."spot"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."spot" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry")) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."spot"
      FROM "public"."places" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."spot" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry")) UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."spot"
      FROM "public"."places" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."spot" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry")) UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."spot"
      FROM "public"."places" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE _8."spot" OPERATOR("ext".=) ANY ((SELECT $5::text::"ext"."geometry"[])::"ext"."geometry"[])) UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."flat"
      FROM "public"."places" AS _10
      WHERE (_10."owner_id" = $1::int4)
      OFFSET 0) AS _10
    WHERE _10."flat" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry")) UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."globe"
      FROM "public"."places" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE _12."globe" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geography")) UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."globe"
      FROM "public"."places" AS _14
      WHERE (_14."owner_id" = $1::int4)
      OFFSET 0) AS _14
    WHERE NOT _14."globe" OPERATOR("ext".=) ANY ((SELECT $8::text::"ext"."geography"[])::"ext"."geography"[])
    ORDER BY _14."id") UNION ALL (SELECT 7::int2, _16."id", null::int2
    FROM "public"."places" AS _16
    WHERE (_16."owner_id" = $1::int4)
    AND _16."spot" IS NULL
    ORDER BY _16."id") UNION ALL SELECT 8::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.places.args.where.spot._eq of the request, geometry
-- $3: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $4: $.selectionSet.places.args.where.spot._eq of the request, geometry
-- $5: $.selectionSet.places.args.where.spot._in of the request, [geometry!], a list
-- $6: "{\"type\":\"MultiPoint\",\"coordinates\":[[0,0],[1,1]],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $7: $.selectionSet.places.args.where.globe._eq of the request, geography
-- $8: "{\"SRID=4326;POINT (10 53.5)\"}" of the document
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _4 public.places: permissions.toml:236: owner_id = session.user_id
-- _6 public.places: permissions.toml:236: owner_id = session.user_id
-- _8 public.places: permissions.toml:236: owner_id = session.user_id
-- _10 public.places: permissions.toml:236: owner_id = session.user_id
-- _12 public.places: permissions.toml:236: owner_id = session.user_id
-- _14 public.places: permissions.toml:236: owner_id = session.user_id
-- _16 public.places: permissions.toml:236: owner_id = session.user_id
