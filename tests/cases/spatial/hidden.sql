-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*))
      FROM (SELECT _3."id", _3."shape"
        FROM "public"."places" AS _3
        WHERE (_3."owner_id" = $1::int4)
        AND _3."id" = $2::int4
        OFFSET 0) AS _3
      WHERE "ext".ST_DWithin(_3."shape", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry"), (SELECT $4::float8)))) (SELECT 0::int2, _2."id", null::record
    FROM (SELECT _2."id", _2."owner_id", _2."shape"
      FROM "public"."places" AS _2
      WHERE (_2."owner_id" = $1::int4)
      AND _2."id" = $2::int4
      OFFSET 0) AS _2
    WHERE "ext".ST_Intersects(_2."shape", (SELECT "ext".ST_GeomFromGeoJSON($3::text)::"ext"."geometry"))
    AND _2."owner_id" = $2::int4) UNION ALL SELECT 1::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: "{\"type\":\"Point\",\"coordinates\":[10,53.5]}" of the document
-- $4: "1" of the document
-- _3 public.places: permissions.toml:236: owner_id = session.user_id
-- _2 public.places: permissions.toml:236: owner_id = session.user_id
