-- What statements call that is not known to read nothing but its arguments, after `used`, the objects that they use. Functions,
-- aggregates and operators may be those of extensions, where they are immutable and written in C. The types that a statement
-- casts to are looked through for domains, whose checks are evaluated; a column that is merely read is no cast.
-- With what they are made of: elements of arrays, base types of domains, subtypes of ranges, and the columns of rows.
types AS (
  SELECT view, oid FROM used WHERE class = 'pg_catalog.pg_type'::pg_catalog.regclass
  UNION
  SELECT t.view, d.refobjid
  FROM types t
  JOIN pg_catalog.pg_type y ON y.oid = t.oid
  CROSS JOIN LATERAL (
    VALUES ('pg_catalog.pg_type'::pg_catalog.regclass, y.oid), ('pg_catalog.pg_class'::pg_catalog.regclass, y.typrelid)
  ) AS o (class, oid)
  JOIN pg_catalog.pg_depend d ON d.classid = o.class AND d.objid = o.oid
  WHERE d.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass AND d.refobjid >= 16384
),

called AS (
  SELECT view, 'the function `' || oid::pg_catalog.regprocedure || '`' AS what, oid
  FROM used WHERE class = 'pg_catalog.pg_proc'::pg_catalog.regclass
  UNION ALL
  SELECT u.view, 'the operator `' || o.oid::pg_catalog.regoperator || '`', o.oprcode
  FROM used u JOIN pg_catalog.pg_operator o ON o.oid = u.oid
  WHERE u.class = 'pg_catalog.pg_operator'::pg_catalog.regclass
  UNION ALL
  SELECT t.view, 'the function `' || r.rngcanonical::pg_catalog.regprocedure || '`', r.rngcanonical
  FROM types t JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid
  WHERE r.rngcanonical <> 0
),

-- An aggregate is as good as the functions that it is made of.
parts AS (
  SELECT view, what, oid::oid FROM called
  UNION ALL
  SELECT c.view, c.what, part.oid
  FROM called c
  JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = c.oid
  CROSS JOIN LATERAL unnest(ARRAY[
    a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn
  ]::oid[]) AS part (oid)
)

SELECT p.view, p.what
FROM parts p
JOIN pg_catalog.pg_proc f ON f.oid = p.oid
JOIN pg_catalog.pg_language l ON l.oid = f.prolang
WHERE f.provolatile <> 'i' OR l.lanname NOT IN ('c', 'internal')
UNION
SELECT t.view, 'the check of the domain `' || pg_catalog.format_type(t.oid, NULL) || '`'
FROM types t JOIN pg_catalog.pg_constraint c ON c.contypid = t.oid
WHERE c.contype = 'c'
ORDER BY view, what
