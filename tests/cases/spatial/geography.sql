-- role: public
SELECT array(SELECT row(_0."id")
    FROM "public"."places" AS _0
    WHERE "ext".ST_Intersects(_0."globe", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geography")), array(SELECT row(_1."id")
    FROM "public"."places" AS _1
    WHERE "ext".ST_DWithin(_1."globe", "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography", $3::float8, true)
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."places" AS _2
    WHERE "ext".ST_DWithin(_2."globe", "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography", $4::float8, $5::bool)
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."places" AS _3
    WHERE "ext".ST_DWithin(_3."globe", "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography", $4::float8, true)
    ORDER BY _3."id");
-- $1: "{\"type\":\"LineString\",\"coordinates\":[[0,0],[5,0]]}" of the document
-- $2: $.selectionSet.places.args.where.globe._st_d_within.from of the request, geography!
-- $3: "7000" of the document
-- $4: "15000" of the document
-- $5: $.selectionSet.places.args.where.globe._st_d_within.use_spheroid of the request, Boolean
-- _0 public.places: permissions.toml:233: true
-- _1 public.places: permissions.toml:233: true
-- _2 public.places: permissions.toml:233: true
-- _3 public.places: permissions.toml:233: true

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."globe"
      FROM "public"."places" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE "ext".ST_Intersects(_0."globe", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography"))), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."globe"
      FROM "public"."places" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE "ext".ST_DWithin(_1."globe", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geography"), (SELECT $4::float8), true)
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."globe"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE "ext".ST_DWithin(_2."globe", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geography"), (SELECT $5::float8), (SELECT $6::bool))
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."globe"
      FROM "public"."places" AS _3
      WHERE (_3."owner_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE "ext".ST_DWithin(_3."globe", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geography"), (SELECT $5::float8), true)
    ORDER BY _3."id");
-- $1: session value user_id, Int
-- $2: "{\"type\":\"LineString\",\"coordinates\":[[0,0],[5,0]]}" of the document
-- $3: $.selectionSet.places.args.where.globe._st_d_within.from of the request, geography!
-- $4: "7000" of the document
-- $5: "15000" of the document
-- $6: $.selectionSet.places.args.where.globe._st_d_within.use_spheroid of the request, Boolean
-- _0 public.places: permissions.toml:236: owner_id = session.user_id
-- _1 public.places: permissions.toml:236: owner_id = session.user_id
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _3 public.places: permissions.toml:236: owner_id = session.user_id
