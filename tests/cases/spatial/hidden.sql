-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."owner_id", _0."shape"
      FROM "public"."places" AS _0
      WHERE (_0."owner_id" = $1::int4)
      AND _0."owner_id" = $2::int4
      AND _0."id" = $2::int4
      OFFSET 0) AS _0
    WHERE "ext".ST_Intersects(_0."shape", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry"))), (SELECT row(count(*))
    FROM (SELECT _1."id", _1."shape"
      FROM "public"."places" AS _1
      WHERE (_1."owner_id" = $1::int4)
      AND _1."id" = $2::int4
      OFFSET 0) AS _1
    WHERE "ext".ST_DWithin(_1."shape", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry"), (SELECT $4::float8)));
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $4: "1" of the document
-- _0 public.places: permissions.toml:236: owner_id = session.user_id
-- _1 public.places: permissions.toml:236: owner_id = session.user_id
