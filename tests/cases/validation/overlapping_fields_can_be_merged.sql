-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2), _3 (c0) AS MATERIALIZED (SELECT _4."id"
    FROM "public"."teams" AS _4) (SELECT 0::int2, _2."id", _2."name", null::int4, null::int2
    FROM "public"."teams" AS _2
    LIMIT 1) UNION ALL (SELECT 1::int2, _6."id", _6."name", _6."team_id", null::int2
    FROM "public"."users" AS _6
    WHERE _6."team_id" = ANY (array(SELECT _3.c0
        FROM _3))) UNION ALL SELECT 2::int2, _3.c0, null::text, null::int4, null::int2
  FROM _3 UNION ALL SELECT 3::int2, null::int4, null::text, null::int4, _0.c0
  FROM _0;
-- _4 public.teams: every row
-- _2 public.teams: every row
-- _6 public.users: every row
