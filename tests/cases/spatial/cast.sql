-- role: public
SELECT array(SELECT row(_0."id")
    FROM "public"."places" AS _0
    WHERE "ext".ST_DWithin(_0."spot"::"ext"."geography", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geography", $2::float8, true)
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."places" AS _1
    WHERE "ext".ST_DWithin(_1."globe"::"ext"."geometry", "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry", $4::float8)
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM "public"."places" AS _2
    WHERE "ext".ST_Equals(_2."spot"::"ext"."geography"::"ext"."geometry", "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry"));
-- $1: $.selectionSet.places.args.where.spot._cast.geography._st_d_within.from of the request, geography!
-- $2: $.selectionSet.places.args.where.spot._cast.geography._st_d_within.distance of the request, Float!
-- $3: "{\"type\":\"Point\",\"coordinates\":[10,53.6]}" of the document
-- $4: "0.2" of the document
-- $5: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- _0 public.places: permissions.toml:233: true
-- _1 public.places: permissions.toml:233: true
-- _2 public.places: permissions.toml:233: true

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."spot"
      FROM "public"."places" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE "ext".ST_DWithin(_0."spot"::"ext"."geography", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography"), (SELECT $3::float8), true)
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."globe"
      FROM "public"."places" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE "ext".ST_DWithin(_1."globe"::"ext"."geometry", (SELECT "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry"), (SELECT $5::float8))
    ORDER BY _1."id"), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."spot"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE "ext".ST_Equals(_2."spot"::"ext"."geography"::"ext"."geometry", (SELECT "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry")));
-- $1: session value user_id, Int
-- $2: $.selectionSet.places.args.where.spot._cast.geography._st_d_within.from of the request, geography!
-- $3: $.selectionSet.places.args.where.spot._cast.geography._st_d_within.distance of the request, Float!
-- $4: "{\"type\":\"Point\",\"coordinates\":[10,53.6]}" of the document
-- $5: "0.2" of the document
-- $6: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- _0 public.places: permissions.toml:236: owner_id = session.user_id
-- _1 public.places: permissions.toml:236: owner_id = session.user_id
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
