-- role: lead
SELECT array(SELECT row(_0."id", (CASE WHEN (_0."id" = $1::int4) THEN _0."email" END)::text)
    FROM "public"."users" AS _0
    WHERE ((_0."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_0."team_id")
            AND "m"."user_id" = $1::int4))))
    AND _0."id" = $2::int4), array(SELECT row(_1."id", (CASE WHEN (_1."id" = $1::int4) THEN _1."email" END)::text)
    FROM "public"."users" AS _1
    WHERE ((_1."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_1."team_id")
            AND "m"."user_id" = $1::int4))))
    AND _1."id" = $3::int4), array(SELECT row(_2."id", (CASE WHEN (_2."id" = $1::int4) THEN _2."email" END)::text)
    FROM "public"."users" AS _2
    WHERE ((_2."id" = $1::int4) OR ((EXISTS (SELECT
            FROM "public"."memberships" AS "m"
            WHERE "m"."team_id" = (_2."team_id")
            AND "m"."user_id" = $1::int4))))
    AND _2."id" = $4::int4);
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: "2" of the document
-- $4: "4" of the document
-- _0 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _1 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
-- _2 public.users: permissions.toml:51: (id = session.user_id) OR (member_of(team_id))
