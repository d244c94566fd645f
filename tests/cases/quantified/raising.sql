-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id"
      FROM "public"."users" AS _2
      WHERE (_2."id" = $1::int4)
      OFFSET 0) AS _2
    WHERE NOT (EXISTS (SELECT
        FROM (SELECT _3."owner_id", _3."share"
          FROM "public"."trap_view" AS _3
          WHERE (_3."owner_id" = $1::int4)
          AND _3."owner_id" = _2."id"
          OFFSET 0) AS _3
        WHERE (((_3."share" > (SELECT $2::int4)))) IS NOT TRUE))) UNION ALL (SELECT 1::int2, _5."id", null::int2
    FROM (SELECT _5."id"
      FROM "public"."users" AS _5
      WHERE (_5."id" = $1::int4)
      OFFSET 0) AS _5
    WHERE NOT (EXISTS (SELECT
        FROM (SELECT _6."owner_id", _6."touchy"
          FROM "public"."trap_view" AS _6
          WHERE (_6."owner_id" = $1::int4)
          AND _6."owner_id" = _5."id"
          OFFSET 0) AS _6
        WHERE _6."touchy" OPERATOR("ext".=) (SELECT $3::text::"ext"."touchy")))) UNION ALL SELECT 2::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: "calm" of the document
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _5 public.users: permissions.toml:51: id = session.user_id
-- _6 public.trap_view: permissions.toml:185: owner_id = session.user_id
