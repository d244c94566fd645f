-- role: customer
SELECT _0."number", sum(_0."share")
  FROM (SELECT _0."share", _0."number", _0."touchy"
    FROM "public"."trap_view" AS _0
    WHERE (_0."owner_id" = $1::int4)
    OFFSET 0) AS _0
  WHERE _0."share" > (SELECT $2::int4)
  GROUP BY _0."number"
  HAVING (((count(*) FILTER (WHERE ((_0."touchy" OPERATOR("ext".<>) $3::text::"ext"."touchy"))) > $4::int8))
    AND ((sum(_0."share") > $5::numeric)))
  ORDER BY _0."number";
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: "easy" of the document
-- $4: "0" of the document
-- $5: "0" of the document
-- _0 public.trap_view: permissions.toml:185: owner_id = session.user_id
