-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::text, null::int2
    FROM "public"."users" AS _2
    WHERE _2."email" OPERATOR("ext".=) $1::text::"ext"."citext") UNION ALL (SELECT 1::int2, _4."id", null::text, null::int2
    FROM "public"."users" AS _4
    WHERE _4."email" OPERATOR("ext".=) ANY ($2::text::"ext"."citext"[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::text, null::int2
    FROM "public"."users" AS _6
    WHERE _6."email" OPERATOR("ext".<>) ALL ($3::text::"ext"."citext"[])
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::text, null::int2
    FROM "public"."users" AS _8
    WHERE _8."email" OPERATOR("ext".>) $4::text::"ext"."citext"
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, null::int4, _10."email"::text, null::int2
    FROM "public"."users" AS _10
    ORDER BY _10."email" DESC NULLS LAST) UNION ALL (SELECT DISTINCT ON (_12."email") 5::int2, null::int4, _12."email"::text, null::int2
    FROM "public"."users" AS _12
    ORDER BY _12."email") UNION ALL SELECT 6::int2, null::int4, null::text, _0.c0
  FROM _0;
-- $1: "ADA@EXAMPLE.ORG" of the document
-- $2: "{\"ADA@EXAMPLE.ORG\",\"BOB@example.org\"}" of the document
-- $3: "{\"ADA@EXAMPLE.ORG\"}" of the document
-- $4: "b" of the document
-- _2 public.users: every row
-- _4 public.users: every row
-- _6 public.users: every row
-- _8 public.users: every row
-- _10 public.users: every row
-- _12 public.users: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::text, null::int2
    FROM "public"."users" AS _2
    WHERE (_2."id" = $1::int4)
    AND _2."email" OPERATOR("ext".=) $2::text::"ext"."citext") UNION ALL (SELECT 1::int2, _4."id", null::text, null::int2
    FROM "public"."users" AS _4
    WHERE (_4."id" = $1::int4)
    AND _4."email" OPERATOR("ext".=) ANY ($3::text::"ext"."citext"[])
    ORDER BY _4."id") UNION ALL (SELECT 2::int2, _6."id", null::text, null::int2
    FROM "public"."users" AS _6
    WHERE (_6."id" = $1::int4)
    AND _6."email" OPERATOR("ext".<>) ALL ($4::text::"ext"."citext"[])
    ORDER BY _6."id") UNION ALL (SELECT 3::int2, _8."id", null::text, null::int2
    FROM "public"."users" AS _8
    WHERE (_8."id" = $1::int4)
    AND _8."email" OPERATOR("ext".>) $5::text::"ext"."citext"
    ORDER BY _8."id") UNION ALL (SELECT 4::int2, null::int4, _10."email"::text, null::int2
    FROM "public"."users" AS _10
    WHERE (_10."id" = $1::int4)
    ORDER BY _10."email" DESC NULLS LAST) UNION ALL (SELECT DISTINCT ON (_12."email") 5::int2, null::int4, _12."email"::text, null::int2
    FROM "public"."users" AS _12
    WHERE (_12."id" = $1::int4)
    ORDER BY _12."email") UNION ALL SELECT 6::int2, null::int4, null::text, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "ADA@EXAMPLE.ORG" of the document
-- $3: "{\"ADA@EXAMPLE.ORG\",\"BOB@example.org\"}" of the document
-- $4: "{\"ADA@EXAMPLE.ORG\"}" of the document
-- $5: "b" of the document
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _6 public.users: permissions.toml:51: id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _10 public.users: permissions.toml:51: id = session.user_id
-- _12 public.users: permissions.toml:51: id = session.user_id
