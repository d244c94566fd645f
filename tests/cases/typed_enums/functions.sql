-- role: owner
SELECT array(SELECT row(_0."value"::text)
    FROM "public"."next_moods"($1::text::"public"."mood") AS _0("value")), array(SELECT row(_1."team", to_json(_1."moods")::text)
    FROM "public"."team_report"($2::int4) AS _1);
-- $1: "ok" of the document
-- $2: "1" of the document
-- _1 public.team_report: every row
