-- role: admin
SELECT (SELECT row(count(*))
    FROM "public"."teams" AS _0), (SELECT row(count(*))
    FROM "public"."teams" AS _1), (SELECT row(count(*))
    FROM "public"."teams" AS _2
    WHERE false), (SELECT row(count(*))
    FROM "public"."teams" AS _3
    WHERE NOT (true)), (SELECT row(count(*))
    FROM "public"."teams" AS _4), (SELECT row(count(*))
    FROM "public"."teams" AS _5
    WHERE (true)), (SELECT row(count(*))
    FROM "public"."teams" AS _6
    WHERE NOT ((false))), (SELECT row(count(*))
    FROM "public"."teams" AS _7), (SELECT row(count(*))
    FROM "public"."teams" AS _8
    WHERE NOT ((true))), (SELECT row(count(*))
    FROM "public"."teams" AS _9), (SELECT row(count(*))
    FROM "public"."teams" AS _10
    WHERE _10."id" = $1::int4
    AND (((_10."id" = $1::int4))));
-- $1: "1" of the document
-- _0 public.teams: every row
-- _1 public.teams: every row
-- _2 public.teams: every row
-- _3 public.teams: every row
-- _4 public.teams: every row
-- _5 public.teams: every row
-- _6 public.teams: every row
-- _7 public.teams: every row
-- _8 public.teams: every row
-- _9 public.teams: every row
-- _10 public.teams: every row

-- role: auditor
SELECT (SELECT row(count(*))
    FROM "public"."teams" AS _0), (SELECT row(count(*))
    FROM "public"."teams" AS _1), (SELECT row(count(*))
    FROM "public"."teams" AS _2
    WHERE false), (SELECT row(count(*))
    FROM "public"."teams" AS _3
    WHERE NOT (true)), (SELECT row(count(*))
    FROM "public"."teams" AS _4), (SELECT row(count(*))
    FROM "public"."teams" AS _5
    WHERE (true)), (SELECT row(count(*))
    FROM "public"."teams" AS _6
    WHERE NOT ((false))), (SELECT row(count(*))
    FROM "public"."teams" AS _7), (SELECT row(count(*))
    FROM "public"."teams" AS _8
    WHERE NOT ((true))), (SELECT row(count(*))
    FROM "public"."teams" AS _9), (SELECT row(count(*))
    FROM "public"."teams" AS _10
    WHERE _10."id" = $1::int4
    AND (((_10."id" = $1::int4))));
-- $1: "1" of the document
-- _0 public.teams: permissions.toml:36: true
-- _1 public.teams: permissions.toml:36: true
-- _2 public.teams: permissions.toml:36: true
-- _3 public.teams: permissions.toml:36: true
-- _4 public.teams: permissions.toml:36: true
-- _5 public.teams: permissions.toml:36: true
-- _6 public.teams: permissions.toml:36: true
-- _7 public.teams: permissions.toml:36: true
-- _8 public.teams: permissions.toml:36: true
-- _9 public.teams: permissions.toml:36: true
-- _10 public.teams: permissions.toml:36: true
