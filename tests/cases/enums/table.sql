-- role: auditor
SELECT _0."name", _0."about", array(SELECT row(_1."id", _1."colour")
    FROM "public"."paints" AS _1
    WHERE _1."colour" = _0."name"
    ORDER BY _1."id")
  FROM "public"."colours" AS _0
  ORDER BY _0."place";
-- _1 public.paints: permissions.toml:304: true
-- _0 public.colours: permissions.toml:298: true
