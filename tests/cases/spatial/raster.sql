-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."cells"
      FROM "public"."places" AS _0
      WHERE (_0."owner_id" = $1::int4)
      OFFSET 0) AS _0
    WHERE _0."cells" OPERATOR("ext".=) (SELECT $2::text::"ext"."raster")), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."cells"
      FROM "public"."places" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE NOT _1."cells" OPERATOR("ext".=) (SELECT $3::text::"ext"."raster")), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2."cells"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      OFFSET 0) AS _2
    WHERE _2."cells" OPERATOR("ext".=) ANY ((SELECT $4::text::"ext"."raster"[])::"ext"."raster"[])), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3."cells"
      FROM "public"."places" AS _3
      WHERE (_3."owner_id" = $1::int4)
      OFFSET 0) AS _3
    WHERE "ext".ST_Intersects(_3."cells", (SELECT $5::text::"ext"."raster"))), array(SELECT row(_4."id")
    FROM (SELECT _4."id", _4."cells"
      FROM "public"."places" AS _4
      WHERE (_4."owner_id" = $1::int4)
      AND _4."id" = $6::int4
      OFFSET 0) AS _4
    WHERE "ext".ST_Intersects(_4."cells", (SELECT $6::int4), (SELECT "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geometry"))), array(SELECT row(_5."id")
    FROM (SELECT _5."id", _5."cells"
      FROM "public"."places" AS _5
      WHERE (_5."owner_id" = $1::int4)
      OFFSET 0) AS _5
    WHERE "ext".ST_Intersects(_5."cells", (SELECT "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geometry"), NULL::int4)), array(SELECT row(_6."id")
    FROM (SELECT _6."id", _6."cells"
      FROM "public"."places" AS _6
      WHERE (_6."owner_id" = $1::int4)
      AND _6."id" = $6::int4
      OFFSET 0) AS _6
    WHERE "ext".ST_Intersects(_6."cells", (SELECT "ext".ST_GeomFromGeoJSON($7::text)::"ext"."geometry"), (SELECT $6::int4)));
-- $1: session value user_id, Int
-- $2: $.selectionSet.places.args.where.cells._eq of the request, raster
-- $3: $.selectionSet.places.args.where.cells._neq of the request, raster
-- $4: $.selectionSet.places.args.where.cells._in of the request, [raster!], a list
-- $5: $.selectionSet.places.args.where.cells._st_intersects_rast of the request, raster
-- $6: "1" of the document
-- $7: "{\"type\":\"Point\",\"coordinates\":[9.5,53.5]}" of the document
-- _0 public.places: permissions.toml:236: owner_id = session.user_id
-- _1 public.places: permissions.toml:236: owner_id = session.user_id
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
-- _3 public.places: permissions.toml:236: owner_id = session.user_id
-- _4 public.places: permissions.toml:236: owner_id = session.user_id
-- _5 public.places: permissions.toml:236: owner_id = session.user_id
-- _6 public.places: permissions.toml:236: owner_id = session.user_id
