-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."cells"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."cells" OPERATOR("ext".=) (SELECT $2::text::"ext"."raster")) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."cells"
      FROM "public"."places" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE NOT _4."cells" OPERATOR("ext".=) (SELECT $2::text::"ext"."raster")) UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6."cells"
      FROM "public"."places" AS _6
      WHERE (_6."owner_id" = $1::int4)
      OFFSET 0) AS _6
    WHERE _6."cells" OPERATOR("ext".=) ANY ((SELECT $3::text::"ext"."raster"[])::"ext"."raster"[])) UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8."cells"
      FROM "public"."places" AS _8
      WHERE (_8."owner_id" = $1::int4)
      OFFSET 0) AS _8
    WHERE "ext".ST_Intersects(_8."cells", (SELECT $2::text::"ext"."raster"))) UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10."cells"
      FROM "public"."places" AS _10
      WHERE (_10."owner_id" = $1::int4)
      AND _10."id" = $4::int4
      OFFSET 0) AS _10
    WHERE "ext".ST_Intersects(_10."cells", (SELECT $4::int4), (SELECT "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry"))) UNION ALL (SELECT 5::int2, _12."id", null::int2
    FROM (SELECT _12."id", _12."cells"
      FROM "public"."places" AS _12
      WHERE (_12."owner_id" = $1::int4)
      OFFSET 0) AS _12
    WHERE "ext".ST_Intersects(_12."cells", (SELECT "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry"), NULL::int4)) UNION ALL (SELECT 6::int2, _14."id", null::int2
    FROM (SELECT _14."id", _14."cells"
      FROM "public"."places" AS _14
      WHERE (_14."owner_id" = $1::int4)
      AND _14."id" = $4::int4
      OFFSET 0) AS _14
    WHERE "ext".ST_Intersects(_14."cells", (SELECT "ext".ST_GeomFromGeoJSON($5::text)::"ext"."geometry"), (SELECT $4::int4))) UNION ALL SELECT 7::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.places.args.where.cells._eq of the request, raster
-- $3: $.selectionSet.places.args.where.cells._in of the request, [raster!], a list
-- $4: "1" of the document
-- $5: "{\"type\":\"Point\",\"coordinates\":[9.5,53.5]}" of the document
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _4 public.places: permissions.toml:236: owner_id = session.user_id
-- _6 public.places: permissions.toml:236: owner_id = session.user_id
-- _8 public.places: permissions.toml:236: owner_id = session.user_id
-- _10 public.places: permissions.toml:236: owner_id = session.user_id
-- _12 public.places: permissions.toml:236: owner_id = session.user_id
-- _14 public.places: permissions.toml:236: owner_id = session.user_id
