-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0."a_span"
      FROM "public"."specimens" AS _0
      WHERE (_0."owner_id" = $1::int4)
      AND _0."id" > $2::int4
      OFFSET 0) AS _0
    WHERE _0."a_span" = (SELECT $3::text::"public"."span")), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1."a_span"
      FROM "public"."specimens" AS _1
      WHERE (_1."owner_id" = $1::int4)
      OFFSET 0) AS _1
    WHERE _1."a_span" = ANY ((SELECT $4::text::"public"."span"[])::"public"."span"[]));
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: "[1.5,2.5)" of the document
-- $4: "{\"[1.5,2.5)\",\"empty\"}" of the document
-- _0 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _1 public.specimens: permissions.toml:194: owner_id = session.user_id
