-- role: staff
SELECT array(SELECT row(_0."team", _0."Members", to_json(_0."moods")::text)
    FROM "public"."team_report"($1::int4) AS _0
    WHERE _0."team" IS NOT NULL
    ORDER BY _0."Members" DESC), array(SELECT row(_1."team")
    FROM "public"."team_report"() AS _1
    LIMIT 1);
-- $1: "1" of the document
-- _0 public.team_report: every row
-- _1 public.team_report: every row

-- role: admin
SELECT array(SELECT row(_0."team", _0."Members", to_json(_0."moods")::text)
    FROM "public"."team_report"($1::int4) AS _0
    WHERE _0."team" IS NOT NULL
    ORDER BY _0."Members" DESC), array(SELECT row(_1."team")
    FROM "public"."team_report"() AS _1
    LIMIT 1);
-- $1: "1" of the document
-- _0 public.team_report: every row
-- _1 public.team_report: every row
