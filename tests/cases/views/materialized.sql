-- role: staff
SELECT array(SELECT row(_0."members", array(SELECT row(_1."called")
        FROM "public"."team_users" AS _1
        WHERE ((EXISTS (SELECT
              FROM "public"."memberships" AS "m"
              WHERE "m"."team_id" = (_1."team_id")
              AND "m"."user_id" = $1::int4)))
        AND _1."team_id" = _0."team_id"
        ORDER BY _1."id"))
    FROM "public"."team_sizes" AS _0
    WHERE _0."team_id" = $2::int4), array(SELECT row(_2."team_id", _2."members")
    FROM "public"."team_sizes" AS _2
    WHERE _2."members" >= $3::int8
    ORDER BY _2."team_id");
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: "2" of the document
-- _1 public.team_users: permissions.toml:320: member_of(team_id)
-- _0 public.team_sizes: permissions.toml:339: true
-- _2 public.team_sizes: permissions.toml:339: true
