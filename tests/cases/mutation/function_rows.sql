-- role: admin
SELECT array(SELECT row(_0."id", _0."open")
    FROM "public"."close_projects"($1::int4) AS _0
    WHERE _0."id" > $2::int4
    ORDER BY _0."id");
-- $1: "2" of the document
-- $2: "3" of the document
-- _0 public.projects: every row
