-- role: writer
SELECT array(SELECT row(_0."id", _0."open")
    FROM (SELECT _0."id", _0."open"
      FROM "public"."close_projects"($1::int4) AS _0
      WHERE ((EXISTS (SELECT
            FROM "public"."project_members" AS "m"
            WHERE "m"."project_id" = (_0."id")
            AND "m"."account_id" = $2::int4)))
      OFFSET 0) AS _0
    WHERE _0."id" < (SELECT $3::int4)
    ORDER BY _0."id");
-- $1: "2" of the document
-- $2: session value user_id, Int
-- $3: "4" of the document
-- _0 public.projects: permissions.toml:467: in_project(id)

-- role: owner
SELECT array(SELECT row(_0."id", _0."open")
    FROM "public"."close_projects"($1::int4) AS _0
    WHERE _0."id" < $2::int4
    ORDER BY _0."id");
-- $1: "2" of the document
-- $2: "4" of the document
-- _0 public.projects: permissions.toml:473: true
