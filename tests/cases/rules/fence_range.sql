-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2."a_span"
      FROM "public"."specimens" AS _2
      WHERE (_2."owner_id" = $1::int4)
      AND _2."id" > $2::int4
      OFFSET 0) AS _2
    WHERE _2."a_span" = (SELECT $3::text::"public"."span")) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4."a_span"
      FROM "public"."specimens" AS _4
      WHERE (_4."owner_id" = $1::int4)
      OFFSET 0) AS _4
    WHERE _4."a_span" = ANY ((SELECT $4::text::"public"."span"[])::"public"."span"[])) UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: "[1.5,2.5)" of the document
-- $4: "{\"[1.5,2.5)\",\"empty\"}" of the document
-- _2 public.specimens: permissions.toml:194: owner_id = session.user_id
-- _4 public.specimens: permissions.toml:194: owner_id = session.user_id
