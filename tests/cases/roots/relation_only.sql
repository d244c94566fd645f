-- role: support
SELECT _0."id", _1."id" IS NOT NULL, _1."name"
  FROM (SELECT _0."id", _0."team_id"
    FROM "public"."users" AS _0
    ORDER BY _0."id"
    LIMIT 2) AS _0
  LEFT JOIN "public"."teams" AS _1 ON _1."id" = _0."team_id"
  ORDER BY _0."id";
-- _0 public.users: permissions.toml:250: true
-- _1 public.teams: permissions.toml:257: true
