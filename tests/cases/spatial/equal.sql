-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."places" AS _0
    WHERE _0."spot" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geometry"), array(SELECT row(_1."id")
    FROM "public"."places" AS _1
    WHERE _1."spot" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry"), array(SELECT row(_2."id")
    FROM "public"."places" AS _2
    WHERE _2."spot" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry"), array(SELECT row(_3."id")
    FROM "public"."places" AS _3
    WHERE _3."spot" OPERATOR("ext".=) ANY ($4::text::"ext"."geometry"[])), array(SELECT row(_4."id")
    FROM "public"."places" AS _4
    WHERE _4."flat" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry"), array(SELECT row(_5."id")
    FROM "public"."places" AS _5
    WHERE _5."globe" OPERATOR("ext".=) "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geography"), array(SELECT row(_6."id")
    FROM "public"."places" AS _6
    WHERE NOT _6."globe" OPERATOR("ext".=) ANY ($7::text::"ext"."geography"[])
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."places" AS _7
    WHERE _7."spot" IS NULL
    ORDER BY _7."id");
-- $1: $.selectionSet.places.args.where.spot._eq of the request, geometry
-- $2: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $3: $.selectionSet.places.args.where.spot._eq of the request, geometry
-- $4: $.selectionSet.places.args.where.spot._in of the request, [geometry!], a list
-- $5: "{\"type\":\"MultiPoint\",\"coordinates\":[[0,0],[1,1]],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $6: $.selectionSet.places.args.where.globe._eq of the request, geography
-- $7: "{\"SRID=4326;POINT (10 53.5)\"}" of the document
-- _0 public.places: every row
-- _1 public.places: every row
-- _2 public.places: every row
-- _3 public.places: every row
-- _4 public.places: every row
-- _5 public.places: every row
-- _6 public.places: every row
-- _7 public.places: every row

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."spot"
      FROM "public"."places" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."spot" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geometry")), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."spot"
      FROM "public"."places" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE _1."spot" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry")), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."spot"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."spot" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry")), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."spot"
      FROM "public"."places" AS _3
      WHERE (_3."owner_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE _3."spot" OPERATOR("ext".=) ANY ((SELECT $5::text::"ext"."geometry"[])::"ext"."geometry"[])), array(SELECT row(_4."id")
    FROM (SELECT _4."id", _4."flat"
      FROM "public"."places" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."flat" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry")), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5."globe"
      FROM "public"."places" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE _5."globe" OPERATOR("ext".=) (SELECT "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geography")), array(SELECT row(_6."id")
    FROM (SELECT _6."id", _6."globe"
      FROM "public"."places" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE NOT _6."globe" OPERATOR("ext".=) ANY ((SELECT $8::text::"ext"."geography"[])::"ext"."geography"[])
    ORDER BY _6."id"), array(SELECT row(_7."id")
    FROM "public"."places" AS _7
    WHERE (_7."owner_id" = $1::int4)
    AND _7."spot" IS NULL
    ORDER BY _7."id");
-- $1: session value user_id, Int
-- $2: $.selectionSet.places.args.where.spot._eq of the request, geometry
-- $3: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $4: $.selectionSet.places.args.where.spot._eq of the request, geometry
-- $5: $.selectionSet.places.args.where.spot._in of the request, [geometry!], a list
-- $6: "{\"type\":\"MultiPoint\",\"coordinates\":[[0,0],[1,1]],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}}" of the document
-- $7: $.selectionSet.places.args.where.globe._eq of the request, geography
-- $8: "{\"SRID=4326;POINT (10 53.5)\"}" of the document
-- _0 public.places: permissions.toml:236: owner_id = session.user_id
-- _1 public.places: permissions.toml:236: owner_id = session.user_id
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _3 public.places: permissions.toml:236: owner_id = session.user_id
-- _4 public.places: permissions.toml:236: owner_id = session.user_id
-- _5 public.places: permissions.toml:236: owner_id = session.user_id
-- _6 public.places: permissions.toml:236: owner_id = session.user_id
-- _7 public.places: permissions.toml:236: owner_id = session.user_id
