-- role: customer
SELECT array(SELECT row(_0."id", _0."colour", _0."undercoat")
    FROM "public"."paints" AS _0
    WHERE (_0."owner_id" = $1::int4)
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."paints" AS _1
    WHERE (_1."owner_id" = $1::int4)
    AND _1."colour" = $2::text), array(SELECT row(_2."id")
    FROM "public"."paints" AS _2
    WHERE (_2."owner_id" = $1::int4)
    AND _2."colour" = ANY ($3::text[])
    AND _2."undercoat" <> $4::varchar
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."paints" AS _3
    WHERE (_3."owner_id" = $1::int4)
    AND _3."colour" <> ALL ($5::text[])
    AND _3."undercoat" IS NOT NULL
    ORDER BY _3."id"), array(SELECT DISTINCT ON (_4."colour") row(_4."id", _4."colour")
    FROM "public"."paints" AS _4
    WHERE (_4."owner_id" = $1::int4)
    ORDER BY _4."colour" DESC, _4."id");
-- $1: session value user_id, Int
-- $2: "red" of the document
-- $3: "{\"red\",\"dark_green\"}" of the document
-- $4: "blue" of the document
-- $5: "{\"blue\"}" of the document
-- _0 public.paints: permissions.toml:301: owner_id = session.user_id
-- _1 public.paints: permissions.toml:301: owner_id = session.user_id
-- _2 public.paints: permissions.toml:301: owner_id = session.user_id
-- _3 public.paints: permissions.toml:301: owner_id = session.user_id
-- _4 public.paints: permissions.toml:301: owner_id = session.user_id

-- role: admin
SELECT array(SELECT row(_0."id", _0."colour", _0."undercoat")
    FROM "public"."paints" AS _0
    ORDER BY _0."id"), array(SELECT row(_1."id")
    FROM "public"."paints" AS _1
    WHERE _1."colour" = $1::text), array(SELECT row(_2."id")
    FROM "public"."paints" AS _2
    WHERE _2."colour" = ANY ($2::text[])
    AND _2."undercoat" <> $3::varchar
    ORDER BY _2."id"), array(SELECT row(_3."id")
    FROM "public"."paints" AS _3
    WHERE _3."colour" <> ALL ($4::text[])
    AND _3."undercoat" IS NOT NULL
    ORDER BY _3."id"), array(SELECT DISTINCT ON (_4."colour") row(_4."id", _4."colour")
    FROM "public"."paints" AS _4
    ORDER BY _4."colour" DESC, _4."id");
-- $1: "red" of the document
-- $2: "{\"red\",\"dark_green\"}" of the document
-- $3: "blue" of the document
-- $4: "{\"blue\"}" of the document
-- _0 public.paints: every row
-- _1 public.paints: every row
-- _2 public.paints: every row
-- _3 public.paints: every row
-- _4 public.paints: every row
