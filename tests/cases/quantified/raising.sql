-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id"
      FROM "public"."users" AS _0
      WHERE (_0."id" = $1::int4)
      OFFSET 0) AS _0
    WHERE NOT (EXISTS (SELECT
        FROM (SELECT _1."owner_id", _1."share"
          FROM "public"."trap_view" AS _1
          WHERE (_1."owner_id" = $1::int4)
          AND _1."owner_id" = _0."id"
          OFFSET 0) AS _1
        WHERE (((_1."share" > (SELECT $2::int4)))) IS NOT TRUE))), array(SELECT row(_2."id")
    FROM (SELECT _2."id"
      FROM "public"."users" AS _2
      WHERE (_2."id" = $1::int4)
      OFFSET 0) AS _2
    WHERE NOT (EXISTS (SELECT
        FROM (SELECT _3."owner_id", _3."touchy"
          FROM "public"."trap_view" AS _3
          WHERE (_3."owner_id" = $1::int4)
          AND _3."owner_id" = _2."id"
          OFFSET 0) AS _3
        WHERE _3."touchy" OPERATOR("ext".=) (SELECT $3::text::"ext"."touchy"))));
-- $1: session value user_id, Int
-- $2: "0" of the document
-- $3: "calm" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.trap_view: permissions.toml:185: owner_id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.trap_view: permissions.toml:185: owner_id = session.user_id
