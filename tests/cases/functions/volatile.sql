-- role: public
SELECT "public"."dice"(), "public"."days_between"($1::date);
-- $1: "2024-02-01" of the document
