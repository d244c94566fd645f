-- The objects that the statements may use, by their names, for a server on which no view can be created: more than they do use,
-- but none is left out. $1 is their texts. A function of one row may be called like a column of it (`row.name`). Casts and
-- canonical functions of ranges are called without being named. Below 16384 all is Postgres' own.
WITH RECURSIVE statements AS (
  SELECT 'postern_statement_' || s.number - 1 AS view, s.text
  FROM pg_catalog.unnest($1::text[]) WITH ORDINALITY AS s (text, number)
),

names AS (
  SELECT class, oid, is_of_row,
    '(^|[^[:alnum:]_$])' || pg_catalog.regexp_replace(pg_catalog.replace(name, '"', '""'), '([^[:alnum:]_])', '\\\1', 'g')
      || '"?' AS pattern
  FROM (
    SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass AS class, p.oid, p.proname::text AS name,
      p.pronargs = 1 AND EXISTS (
        SELECT FROM pg_catalog.pg_type y WHERE y.oid = p.proargtypes[0] AND y.typtype IN ('c', 'd', 'p')
      ) AS is_of_row
    FROM pg_catalog.pg_proc p
    WHERE p.oid >= 16384
    UNION ALL
    SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, y.oid, y.typname, true FROM pg_catalog.pg_type y WHERE y.oid >= 16384
  ) AS o
),

used AS (
  SELECT s.view, n.class::oid AS class, n.oid
  FROM statements s
  JOIN names n ON s.text ~* (n.pattern || CASE WHEN n.is_of_row THEN '($|[^[:alnum:]_$])' ELSE '\s*\(' END)
  UNION ALL
  SELECT s.view, 'pg_catalog.pg_operator'::pg_catalog.regclass, o.oid
  FROM statements s
  JOIN pg_catalog.pg_operator o ON pg_catalog.strpos(s.text, o.oprname) > 0
  WHERE o.oid >= 16384
  UNION ALL
  SELECT s.view, 'pg_catalog.pg_proc'::pg_catalog.regclass, f.oid
  FROM statements s
  CROSS JOIN (
    SELECT castfunc FROM pg_catalog.pg_cast WHERE castfunc >= 16384
    UNION ALL
    SELECT rngcanonical::oid FROM pg_catalog.pg_range WHERE rngcanonical::oid >= 16384
  ) AS f (oid)
),

