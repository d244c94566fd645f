-- role: admin
SELECT _0."id", _0."name", "ext".ST_AsGeoJSON(_0."spot", 15, 4), "ext".ST_AsGeoJSON(_0."shape", 15, 4), "ext".ST_AsGeoJSON(_0."flat", 15, 4), "ext".ST_AsGeoJSON(_0."globe", 15, 4), (SELECT CASE array_ndims(c.v) WHEN 1 THEN (SELECT json_agg("ext".ST_AsGeoJSON(x, 15, 4)::json)
      FROM unnest(c.v) AS x) ELSE to_json(c.v) END
    FROM (SELECT _0."trail" AS v) AS c)::text, _0."cells"::text
  FROM "public"."places" AS _0
  ORDER BY _0."id";
-- _0 public.places: every row

-- role: customer
SELECT _0."id", _0."name", "ext".ST_AsGeoJSON(_0."spot", 15, 4), "ext".ST_AsGeoJSON(_0."shape", 15, 4), "ext".ST_AsGeoJSON(_0."flat", 15, 4), "ext".ST_AsGeoJSON(_0."globe", 15, 4), (SELECT CASE array_ndims(c.v) WHEN 1 THEN (SELECT json_agg("ext".ST_AsGeoJSON(x, 15, 4)::json)
      FROM unnest(c.v) AS x) ELSE to_json(c.v) END
    FROM (SELECT _0."trail" AS v) AS c)::text, _0."cells"::text
  FROM "public"."places" AS _0
  WHERE (_0."owner_id" = $1::int4)
  ORDER BY _0."id";
-- $1: session value user_id, Int
-- _0 public.places: permissions.toml:236: owner_id = session.user_id
