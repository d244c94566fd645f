-- role: public
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."places" AS _2
    WHERE "ext".ST_DWithin(_2."spot"::"ext"."geography", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geography", $2::float8, true)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."places" AS _4
    WHERE "ext".ST_DWithin(_4."globe"::"ext"."geometry", "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry", $4::float8)
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."places" AS _6
    WHERE "ext".ST_Equals(_6."spot"::"ext"."geography"::"ext"."geometry", "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry")) UNION ALL SELECT 3::int2, null::int4, _0.c0
  FROM _0;
-- $1: $.selectionSet.places.args.where.spot._cast.geography._st_d_within.from of the request, geography!
-- $2: $.selectionSet.places.args.where.spot._cast.geography._st_d_within.distance of the request, Float!
-- $3: "{\"type\":\"Point\",\"coordinates\":[10,53.6]}" of the document
-- $4: "0.2" of the document
-- $5: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- _2 public.places: permissions.toml:233: true
-- _4 public.places: permissions.toml:233: true
-- _6 public.places: permissions.toml:233: true

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."spot"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE "ext".ST_DWithin(_2."spot"::"ext"."geography", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography"), (SELECT $3::float8), true)
    ORDER BY _2."id") UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."globe"
      FROM "public"."places" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE "ext".ST_DWithin(_4."globe"::"ext"."geometry", (SELECT "ext".ST_GeomFromGeoJSON($4::text)::"ext"."geometry"), (SELECT $5::float8))
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."spot"
      FROM "public"."places" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE "ext".ST_Equals(_6."spot"::"ext"."geography"::"ext"."geometry", (SELECT "ext".ST_GeomFromGeoJSON($6::text)::"ext"."geometry"))) UNION ALL SELECT 3::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.places.args.where.spot._cast.geography._st_d_within.from of the request, geography!
-- $3: $.selectionSet.places.args.where.spot._cast.geography._st_d_within.distance of the request, Float!
-- $4: "{\"type\":\"Point\",\"coordinates\":[10,53.6]}" of the document
-- $5: "0.2" of the document
-- $6: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _4 public.places: permissions.toml:236: owner_id = session.user_id
-- _6 public.places: permissions.toml:236: owner_id = session.user_id
