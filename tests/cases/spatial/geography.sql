-- role: public
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM "public"."places" AS _2
    WHERE "ext".ST_Intersects(_2."globe", "ext".ST_GeomFromGeoJSON($1::text)::"ext"."geography")) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM "public"."places" AS _4
    WHERE "ext".ST_DWithin(_4."globe", "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography", $3::float8, true)
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM "public"."places" AS _6
    WHERE "ext".ST_DWithin(_6."globe", "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography", $4::float8, $5::bool)
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM "public"."places" AS _8
    WHERE "ext".ST_DWithin(_8."globe", "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography", $4::float8, true)
    ORDER BY _8."id") UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: "{\"type\":\"LineString\",\"coordinates\":[[0,0],[5,0]]}" of the document
-- $2: $.selectionSet.places.args.where.globe._st_d_within.from of the request, geography!
-- $3: "7000" of the document
-- $4: "15000" of the document
-- $5: $.selectionSet.places.args.where.globe._st_d_within.use_spheroid of the request, Boolean
-- _2 public.places: permissions.toml:233: true
-- _4 public.places: permissions.toml:233: true
-- _6 public.places: permissions.toml:233: true
-- _8 public.places: permissions.toml:233: true

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."globe"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE "ext".ST_Intersects(_2."globe", (SELECT "ext".ST_GeomFromGeoJSON($2::text)::"ext"."geography"))) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."globe"
      FROM "public"."places" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE "ext".ST_DWithin(_4."globe", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geography"), (SELECT $4::float8), true)
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."globe"
      FROM "public"."places" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE "ext".ST_DWithin(_6."globe", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geography"), (SELECT $5::float8), (SELECT $6::bool))
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."globe"
      FROM "public"."places" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE "ext".ST_DWithin(_8."globe", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geography"), (SELECT $5::float8), true)
    ORDER BY _8."id") UNION ALL SELECT 4::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "{\"type\":\"LineString\",\"coordinates\":[[0,0],[5,0]]}" of the document
-- $3: $.selectionSet.places.args.where.globe._st_d_within.from of the request, geography!
-- $4: "7000" of the document
-- $5: "15000" of the document
-- $6: $.selectionSet.places.args.where.globe._st_d_within.use_spheroid of the request, Boolean
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _4 public.places: permissions.toml:236: owner_id = session.user_id
-- _6 public.places: permissions.toml:236: owner_id = session.user_id
-- _8 public.places: permissions.toml:236: owner_id = session.user_id
