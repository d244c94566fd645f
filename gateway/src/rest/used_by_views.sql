-- The objects that the temporary views of this session use. Below 16384 all is Postgres' own.
WITH RECURSIVE used AS (
  SELECT v.relname::text AS view, d.refclassid AS class, d.refobjid AS oid
  FROM pg_catalog.pg_class v
  JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid
  JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
  WHERE v.relnamespace = pg_catalog.pg_my_temp_schema() AND v.relkind = 'v' AND d.refobjid >= 16384
),

