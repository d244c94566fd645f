-- The whole catalog as one JSON document, read by `sql::catalog::Catalog::decode`.
-- Runs on Postgres 13 to 18: columns that one of them lacks are reached through to_json of the row.
-- Planned with care for databases whose statistics are out of date, where "one row" may be thousands: what is joined is
-- either a system table with an index to be looked up in, for which OFFSET 0 keeps each look-up by itself, or joined in full
-- (FULL JOIN), which is never done by nested loops.
-- Every list is built by one pass with joins; nothing runs once per table but pg_relation_is_updatable, for views.
WITH RECURSIVE

-- What users made: neither the system's schemas nor the gateway's own.
spaces AS MATERIALIZED (
  SELECT n.oid, n.nspname AS name
  FROM pg_catalog.pg_namespace n
  WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'postern')
),

extension_members AS MATERIALIZED (
  SELECT d.classid, d.objid
  FROM pg_catalog.pg_depend d
  WHERE d.deptype = 'e'
    AND d.classid IN ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_type'::regclass, 'pg_catalog.pg_proc'::regclass)
),

-- Foreign tables that nothing can read, and views over them: asking what can be written to them is an error.
unreachable AS (
  SELECT t.ftrelid AS oid
  FROM pg_catalog.pg_foreign_table t
  JOIN pg_catalog.pg_foreign_server s ON s.oid = t.ftserver
  JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw
  WHERE w.fdwhandler = 0
  UNION
  SELECT r.ev_class
  FROM unreachable u
  JOIN pg_catalog.pg_depend d
    ON d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = u.oid AND d.classid = 'pg_catalog.pg_rewrite'::regclass
  JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid
),

-- Rewrite rules, other than the one that makes a view. Where they add statements, hold sometimes, do nothing, or have no
-- RETURNING, nothing can be written in a WITH query, and so not at all.
rules AS MATERIALIZED (
  SELECT w.ev_class AS oid, w.rulename, CASE w.ev_type WHEN '3' THEN 0 WHEN '2' THEN 1 ELSE 2 END AS action,
         NOT w.is_instead OR w.ev_qual::text <> '<>' OR strpos(w.ev_action::text, ':returningList (') = 0 AS bars
  FROM pg_catalog.pg_rewrite w
  WHERE w.ev_type <> '1' AND w.ev_enabled IN ('O', 'A')
),

ruled AS MATERIALIZED (
  SELECT r.oid, bit_or(CASE WHEN r.bars THEN (ARRAY[8, 4, 16])[r.action + 1] ELSE 0 END) AS barred
  FROM rules r
  GROUP BY r.oid
),

barring_rules AS (
  SELECT r.oid, json_agg(json_build_object('name', r.rulename, 'bars', (ARRAY[8, 4, 16])[r.action + 1])
           ORDER BY r.rulename) AS list
  FROM rules r
  WHERE r.bars
  GROUP BY r.oid
),

-- What writing a table sets off beside the writing: users' triggers that are on, rewrite rules as both kinds of them,
-- keys whose change other rows follow, and what rows may collide in that is no key of the catalog.
own_effects AS (
  SELECT t.tgrelid AS oid,
         ((t.tgtype::int4 >> 2) & 1 | ((t.tgtype::int4 >> 3) & 2) | ((t.tgtype::int4 >> 1) & 4))
         << CASE WHEN t.tgtype::int4 & 1 <> 0 AND t.tgtype::int4 & 66 <> 0 THEN 0 ELSE 3 END AS effects
  FROM pg_catalog.pg_trigger t
  WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
    -- The gateway's own triggers write to its own tables alone.
    AND NOT (t.tgname LIKE 'postern\_%' AND EXISTS (
      SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE p.oid = t.tgfoid AND n.nspname = 'postern'))
  UNION ALL
  SELECT r.oid, 9 << r.action FROM rules r
  UNION ALL
  SELECT f.confrelid, 64 FROM pg_catalog.pg_constraint f WHERE f.contype = 'f' AND f.confupdtype IN ('c', 'n', 'd')
  UNION ALL
  SELECT i.indrelid, 128
  FROM pg_catalog.pg_index i
  WHERE i.indrelid >= 16384 AND i.indisready AND i.indimmediate AND (i.indisunique OR i.indisexclusion)
    AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL OR i.indisexclusion OR NOT i.indisvalid)
),

-- The same of the tables over partitions, and of the views over tables.
effects_up AS (
  SELECT e.oid, e.effects FROM own_effects e
  UNION
  SELECT a.oid, e.effects
  FROM effects_up e
  CROSS JOIN LATERAL (
    SELECT i.inhparent AS oid FROM pg_catalog.pg_inherits i WHERE i.inhrelid = e.oid
    UNION ALL
    SELECT w.ev_class
    FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_rewrite w ON w.oid = d.objid AND w.rulename = '_RETURN'
    WHERE d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = e.oid
      AND d.classid = 'pg_catalog.pg_rewrite'::regclass
  ) a
  -- Always true, and taken by the planner to hold for one in 200.
  WHERE e.oid BETWEEN '1'::oid AND '4294967295'::oid
),

effects AS (
  SELECT e.oid, bit_or(e.effects) AS effects FROM effects_up e GROUP BY e.oid
),

relations AS MATERIALIZED (
  SELECT c.oid, s.name AS schema, c.relname AS name, c.relkind AS kind,
         -- Before Postgres 14 a table that was never analyzed has zero rows on zero pages.
         CASE WHEN c.reltuples = 0 AND c.relpages = 0 AND current_setting('server_version_num')::int4 < 140000
              THEN -1 ELSE c.reltuples END::float8 AS estimated_rows,
         CASE WHEN c.relkind IN ('r', 'p') THEN 28
              WHEN c.relkind = 'm' OR EXISTS (SELECT FROM unreachable n WHERE n.oid = c.oid) THEN 0
              ELSE pg_relation_is_updatable(c.oid, true) END & ~coalesce(u.barred, 0) AS updatable,
         c.relkind = 'v' AND NOT c.relhastriggers AND u.oid IS NULL AS plainly_written,
         c.relrowsecurity AS policies,
         c.relkind IN ('r', 'f') AND b.oid IS NOT NULL AS has_children,
         -- What the user of this connection may not do with the table as a whole, as bits of `updatable` and 1 for SELECT;
         -- 32 where the schema is closed.
         CASE WHEN NOT has_schema_privilege(c.relnamespace, 'USAGE') THEN 61
              ELSE CASE WHEN has_table_privilege(c.oid, 'SELECT') THEN 0 ELSE 1 END
                 | CASE WHEN has_table_privilege(c.oid, 'INSERT') THEN 0 ELSE 8 END
                 | CASE WHEN has_table_privilege(c.oid, 'UPDATE') THEN 0 ELSE 4 END
                 | CASE WHEN has_table_privilege(c.oid, 'DELETE') THEN 0 ELSE 16 END END AS denied
  FROM pg_catalog.pg_class c
  JOIN spaces s ON s.oid = c.relnamespace
  LEFT JOIN ruled u ON u.oid = c.oid
  LEFT JOIN (SELECT DISTINCT i.inhparent AS oid FROM pg_catalog.pg_inherits i) b ON b.oid = c.oid
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM extension_members e WHERE e.classid = 'pg_catalog.pg_class'::regclass AND e.objid = c.oid)
),

-- Domains with what lies below them, to learn whether any on the way forbids nulls.
domain_steps AS (
  SELECT t.oid, t.typnotnull AS not_null, t.typbasetype AS base
  FROM pg_catalog.pg_type t
  WHERE t.typtype = 'd'
  UNION ALL
  SELECT d.oid, t.typnotnull, t.typbasetype
  FROM domain_steps d
  JOIN pg_catalog.pg_type t ON t.oid = d.base AND t.typtype = 'd'
),

domains AS MATERIALIZED (
  SELECT d.oid, bool_or(d.not_null) AS not_null, t.typdefault AS default
  FROM domain_steps d
  JOIN pg_catalog.pg_type t ON t.oid = d.oid
  GROUP BY d.oid, t.typdefault
),

-- NOT NULL constraints that were never checked against the rows there are (Postgres 18).
unproved AS MATERIALIZED (
  SELECT n.conrelid, n.conkey[1] AS attnum
  FROM pg_catalog.pg_constraint n
  WHERE n.contype = 'n' AND NOT n.convalidated
),

attributes AS MATERIALIZED (
  SELECT a.attrelid, a.attnum, a.attname, a.atttypid, a.attnotnull, a.attgenerated, a.attidentity, a.attcollation,
         a.atthasdef, a.atttypmod, r.kind, r.plainly_written AND r.updatable & 4 <> 0 AS plainly_written
  FROM pg_catalog.pg_attribute a
  JOIN relations r ON r.oid = a.attrelid
  WHERE a.attnum > 0 AND NOT a.attisdropped
),

-- Columns with privileges of their own, where the table does not have them as a whole.
allowed_columns AS (
  SELECT a.attrelid, a.attname, a.attnum,
         CASE WHEN has_column_privilege(a.attrelid, a.attnum, 'SELECT') THEN 1 ELSE 0 END
         | CASE WHEN has_column_privilege(a.attrelid, a.attnum, 'INSERT') THEN 8 ELSE 0 END
         | CASE WHEN has_column_privilege(a.attrelid, a.attnum, 'UPDATE') THEN 4 ELSE 0 END AS privileges
  FROM attributes a
  JOIN relations r ON r.oid = a.attrelid
  WHERE r.denied & 13 <> 0 AND r.denied & 32 = 0
),

allowed_lists AS (
  SELECT a.attrelid, json_agg(json_build_object('column', a.attname, 'privileges', a.privileges) ORDER BY a.attnum) AS list
  FROM allowed_columns a
  WHERE a.privileges <> 0
  GROUP BY a.attrelid
),

-- Btree indexes that serve an order, by the columns' own collations and operators, and hold every row. A table that others
-- inherit from has rows that its indexes do not know.
index_places AS MATERIALIZED (
  SELECT i.indrelid, i.indexrelid, k.attnum, k.place, i.indnkeyatts AS places, i.indisunique AS unique,
         k.option & 1 <> 0 AS descending, k.option & 2 <> 0 AS nulls_first, o.opcdefault AS plain, k.sorted
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class t ON t.oid = i.indrelid AND t.relkind IN ('r', 'm') AND NOT t.relhassubclass
  CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indoption::int2[], i.indclass::oid[], i.indcollation::oid[])
    WITH ORDINALITY AS k (attnum, option, class, sorted, place)
  JOIN pg_catalog.pg_opclass o ON o.oid = k.class
  JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod AND m.amname = 'btree'
  WHERE i.indrelid >= 16384 AND i.indisvalid AND i.indisready AND i.indislive AND i.indpred IS NULL AND i.indexprs IS NULL
    AND k.place <= i.indnkeyatts
),

index_columns AS MATERIALIZED (
  SELECT i.*, a.attname, i.plain AND i.sorted = a.attcollation AS serves
  FROM index_places i
  CROSS JOIN LATERAL (
    SELECT a.attname, a.attcollation FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = i.indrelid AND a.attnum = i.attnum
    OFFSET 0
  ) a
),

indexes AS (
  SELECT i.indrelid, i.indexrelid, json_build_object('columns', json_agg(json_strip_nulls(json_build_object(
           'name', i.attname, 'descending', nullif(i.descending, false), 'nulls_first', nullif(i.nulls_first, false)
         )) ORDER BY i.place), 'unique', bool_and(i.unique)) AS index
  FROM index_columns i
  GROUP BY i.indrelid, i.indexrelid
  HAVING bool_and(i.serves)
),

index_lists AS (
  SELECT i.indrelid, json_agg(i.index ORDER BY i.index::text) AS list
  FROM indexes i
  GROUP BY i.indrelid
),

-- All other indexes: partial ones, those over expressions, of other kinds, and those whose operators or collation are not the
-- column's own. Below, the columns that they contain or depend on.
other_indexes AS MATERIALIZED (
  SELECT i.indrelid, i.indexrelid, i.indkey, i.indexprs IS NOT NULL OR i.indpred IS NOT NULL AS has_expressions
  FROM pg_catalog.pg_index i
  JOIN relations r ON r.oid = i.indrelid
  -- Hashed, however few the planner expects.
  WHERE i.indexrelid NOT IN (SELECT x.indexrelid FROM indexes x)
),

other_places AS (
  SELECT i.indrelid, k.attnum
  FROM other_indexes i
  CROSS JOIN LATERAL unnest(i.indkey::int2[]) AS k (attnum)
  UNION
  SELECT i.indrelid, d.refobjsubid
  FROM other_indexes i
  CROSS JOIN LATERAL (
    SELECT d.refobjsubid FROM pg_catalog.pg_depend d
    WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = i.indexrelid
      AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = i.indrelid AND d.refobjsubid > 0
    OFFSET 0
  ) d
  WHERE i.has_expressions
),

other_index_lists AS (
  SELECT o.indrelid, json_agg(a.attname ORDER BY a.attname) AS list
  FROM other_places o
  CROSS JOIN LATERAL (
    SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = o.indrelid AND a.attnum = o.attnum OFFSET 0
  ) a
  GROUP BY o.indrelid
),

-- What ANALYZE has found out of columns that rows may be looked up by, unless a key says so already. To ask for all that is
-- known takes seconds, because each column's privileges are looked at; OFFSET has each looked up by itself.
spread_lists AS (
  SELECT i.indrelid, json_agg(p.spread ORDER BY i.attnum) AS list
  FROM (
    SELECT DISTINCT i.indrelid, i.attnum, i.attname FROM index_columns i
    WHERE CASE WHEN i.unique THEN i.places > 1 ELSE i.places = 1 OR i.place < i.places END
  ) i
  JOIN relations r ON r.oid = i.indrelid
  CROSS JOIN LATERAL (
    SELECT json_build_object('column', i.attname, 'distinct', p.n_distinct, 'most', coalesce(p.most_common_freqs[1], 0)) AS spread
    FROM pg_catalog.pg_stats p
    WHERE p.schemaname = r.schema AND p.tablename = r.name AND p.attname = i.attname AND NOT p.inherited
    OFFSET 0
  ) p
  GROUP BY i.indrelid
),

-- What the columns of views plainly refer to, as the parser noted it. Only of views without subqueries, in whose text
-- there is one list of columns; names in it have no spaces or braces of their own.
plain_views AS MATERIALIZED (
  SELECT r.oid, w.ev_action::text AS tree
  FROM relations r
  CROSS JOIN LATERAL (
    SELECT w.ev_action FROM pg_catalog.pg_rewrite w WHERE w.ev_class = r.oid AND w.rulename = '_RETURN' OFFSET 0
  ) w
  WHERE r.kind IN ('v', 'm') AND strpos(substr(w.ev_action::text, 3), '{QUERY') = 0
),

origins AS MATERIALIZED (
  SELECT v.oid, (m.found)[1]::int2 AS attnum, json_build_object('schema', s.name, 'table', c.relname, 'column', a.attname) AS origin,
         c.relkind IN ('r', 'p') AS writable
  FROM plain_views v
  CROSS JOIN LATERAL regexp_matches(v.tree, ':resno (\d+) [^{}]*:resorigtbl (\d+) :resorigcol (\d+) :resjunk false', 'g') AS m (found)
  JOIN pg_catalog.pg_class c ON c.oid = (m.found)[2]::oid
  JOIN spaces s ON s.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = (m.found)[3]::int2
),

-- Views that show each row of one table once at most.
one_to_one AS MATERIALIZED (
  SELECT v.oid
  FROM plain_views v
  WHERE length(v.tree) - length(replace(v.tree, ':inFromCl true', '')) = length(':inFromCl true')
    AND strpos(v.tree, ':hasAggs false') > 0 AND strpos(v.tree, ':hasTargetSRFs false') > 0
    AND strpos(v.tree, ':groupClause <>') > 0 AND strpos(v.tree, ':groupingSets <>') > 0
    AND strpos(v.tree, ':setOperations <>') > 0
),

-- A column is an array of the fields of `catalog::Column`, in their order. There are many columns, and their names would be
-- half of the document. Most columns have no field after the fourth that is not its default.
described_columns AS (
  SELECT a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod, a.attgenerated, a.attidentity, m.description, o.origin,
         -- What a view shows, and what a materialized one holds, may be null whatever its domain says.
         a.kind IN ('v', 'm') OR (NOT a.attnotnull OR u.attnum IS NOT NULL) AND d.not_null IS NOT TRUE AS nullable,
         -- A default holds no column, so it is written out without looking at its table.
         CASE WHEN a.attgenerated = '' THEN coalesce(pg_get_expr(f.adbin, 0), d.default) END AS default,
         l.oid IS NULL AS deterministic,
         -- Asked only of columns of views that are not plainly known.
         CASE WHEN a.plainly_written AND o.writable IS NOT TRUE
              THEN NOT pg_column_is_updatable(a.attrelid, a.attnum, true) ELSE false END AS computed
  FROM attributes a
  LEFT JOIN origins o ON o.oid = a.attrelid AND o.attnum = a.attnum
  LEFT JOIN pg_catalog.pg_attrdef f ON a.atthasdef AND a.attgenerated = '' AND f.adrelid = a.attrelid AND f.adnum = a.attnum
  LEFT JOIN domains d ON d.oid = a.atttypid
  LEFT JOIN unproved u ON u.conrelid = a.attrelid AND u.attnum = a.attnum
  LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation AND NOT l.collisdeterministic
  LEFT JOIN pg_catalog.pg_description m
    ON m.classoid = 'pg_catalog.pg_class'::regclass AND m.objoid = a.attrelid AND m.objsubid = a.attnum
),

column_lists AS (
  SELECT c.attrelid, json_agg(
           CASE WHEN c.default IS NULL AND c.attgenerated = '' AND c.attidentity = '' AND c.deterministic
                  AND c.description IS NULL AND c.origin IS NULL AND NOT c.computed
                THEN json_build_array(c.attname, c.atttypid::int8, nullif(c.atttypmod, -1), c.nullable)
                ELSE json_build_array(
                  c.attname, c.atttypid::int8, nullif(c.atttypmod, -1), c.nullable, c.default,
                  CASE c.attgenerated WHEN 's' THEN 'stored' WHEN 'v' THEN 'virtual' END,
                  CASE c.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by_default' END,
                  c.deterministic, c.description, c.origin, c.computed) END) AS list
  FROM (SELECT d.* FROM described_columns d ORDER BY d.attrelid, d.attnum) c
  GROUP BY c.attrelid
),

-- A deferrable unique constraint may be broken for a while, and one over expressions or some of the rows proves
-- nothing about a table's columns.
key_columns AS (
  SELECT i.indrelid, c.relname AS name, i.indisprimary AS primary, json_agg(a.attname ORDER BY k.place) AS columns,
         -- ON CONFLICT takes neither deferrable keys nor those WITHOUT OVERLAPS.
         NOT i.indimmediate OR i.indisexclusion AS deferrable
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class t ON t.oid = i.indrelid AND t.relkind IN ('r', 'p', 'm')
  JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
  CROSS JOIN LATERAL (
    SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = k.attnum OFFSET 0
  ) a
  WHERE i.indrelid >= 16384 AND i.indisunique AND i.indisvalid AND i.indisready AND i.indislive
    AND i.indexprs IS NULL AND i.indpred IS NULL
    AND (i.indisprimary OR i.indimmediate AND NOT i.indisexclusion)
    AND k.place <= i.indnkeyatts
  GROUP BY i.indrelid, i.indexrelid, c.relname, i.indisprimary, i.indimmediate, i.indisexclusion
),

key_lists AS (
  SELECT k.indrelid, json_agg(json_build_object('name', k.name, 'primary', k.primary, 'deferrable', k.deferrable, 'columns', k.columns)
           ORDER BY k.primary DESC, k.name) AS list
  FROM key_columns k
  GROUP BY k.indrelid
),

-- Constraints that are no keys, by the columns that they look at: checks, exclusions, deferrable keys, and unique indexes over
-- expressions or some of the rows. A violation names them, and a role is shown the name where it knows the columns.
constraint_columns AS (
  SELECT c.conrelid AS oid, c.conname AS name, k.attnum
  FROM pg_catalog.pg_constraint c
  CROSS JOIN LATERAL unnest(coalesce(c.conkey, '{NULL}')) AS k (attnum)
  WHERE c.conrelid <> 0
    AND (c.contype = 'c' AND 0 <> ALL (coalesce(c.conkey, '{}')) OR c.contype = 'x' OR c.contype = 'u' AND c.condeferrable)
  UNION
  SELECT i.indrelid, c.relname, k.attnum
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  CROSS JOIN LATERAL (
    SELECT k.attnum FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
    WHERE k.attnum > 0 AND k.place <= i.indnkeyatts
    UNION
    -- The columns of expressions and of the predicate. Those that the index only INCLUDEs are none of them.
    SELECT (m.found)[1]::int2
    FROM regexp_matches(concat(i.indexprs::text, i.indpred::text), ':varattno (\d+)', 'g') AS m (found)
    UNION
    -- A constant expression has none.
    SELECT NULL::int2
  ) k
  WHERE i.indrelid >= 16384 AND (i.indisunique OR i.indisexclusion) AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
),

constraints AS (
  SELECT c.oid, c.name, coalesce(json_agg(a.attname ORDER BY a.attnum) FILTER (WHERE a.attname IS NOT NULL), '[]') AS columns
  FROM constraint_columns c
  LEFT JOIN attributes a ON a.attrelid = c.oid AND a.attnum = c.attnum
  GROUP BY c.oid, c.name
  -- Number 0 stands for an expression of an exclusion, whose columns are those that its index depends on.
  HAVING bool_and(c.attnum IS DISTINCT FROM 0::int2) OR bool_or(c.attnum > 0)
),

-- The places of unique indexes that ON CONFLICT can infer. Without a collation or an operator class it infers the indexes of all
-- of them, so these are named for tables where one of them is not the default.
arbiter_places AS MATERIALIZED (
  SELECT i.indrelid, i.indexrelid, k.place,
         CASE WHEN bool_or(k.sorted NOT IN (0, 100)) OVER (PARTITION BY i.indrelid) THEN k.sorted ELSE 0 END AS sorted,
         CASE WHEN bool_or(NOT o.opcdefault) OVER (PARTITION BY i.indrelid) THEN k.class ELSE 0 END AS class,
         i.indexprs IS NOT NULL OR i.indpred IS NOT NULL AS has_expressions
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class t ON t.oid = i.indrelid AND t.relkind IN ('r', 'p')
  CROSS JOIN LATERAL unnest(i.indclass::oid[], i.indcollation::oid[]) WITH ORDINALITY AS k (class, sorted, place)
  CROSS JOIN LATERAL (SELECT o.opcdefault FROM pg_catalog.pg_opclass o WHERE o.oid = k.class OFFSET 0) o
  WHERE i.indrelid >= 16384 AND i.indisunique AND i.indisvalid AND i.indisready AND i.indislive
    AND i.indimmediate AND NOT i.indisexclusion
),

-- `(lower(email)) WHERE (deleted IS NULL)`: what ON CONFLICT infers a unique index from that is over expressions or some of the
-- rows.
conflict_targets AS (
  SELECT p.indrelid, c.relname AS name,
         '(' || string_agg(
           pg_get_indexdef(p.indexrelid, p.place::int4, false)
           || coalesce((
             SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
             FROM pg_catalog.pg_collation l JOIN pg_catalog.pg_namespace n ON n.oid = l.collnamespace WHERE l.oid = p.sorted
           ), '')
           || coalesce((
             SELECT format(' %I.%I', n.nspname, o.opcname)
             FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_namespace n ON n.oid = o.opcnamespace WHERE o.oid = p.class
           ), ''), ', ' ORDER BY p.place) || ')'
         || coalesce(' WHERE ' || (
             SELECT pg_get_expr(i.indpred, i.indrelid) FROM pg_catalog.pg_index i WHERE i.indexrelid = p.indexrelid
           ), '') AS target
  FROM arbiter_places p
  JOIN pg_catalog.pg_class c ON c.oid = p.indexrelid
  WHERE p.has_expressions
  GROUP BY p.indrelid, p.indexrelid, c.relname
),

constraint_lists AS (
  SELECT c.oid, json_agg(json_build_object('name', c.name, 'columns', c.columns, 'target', t.target) ORDER BY c.name) AS list
  FROM constraints c
  FULL JOIN conflict_targets t ON t.indrelid = c.oid AND t.name = c.name
  GROUP BY c.oid
),

-- Those that a partition's key brings along have a parent; those over a PERIOD point into an exclusion index.
foreign_columns AS (
  SELECT f.oid, f.conrelid, f.confrelid, f.conname, f.convalidated, f.condeferred,
         json_agg(a.attname ORDER BY k.place) AS columns, json_agg(b.attname ORDER BY k.place) AS references
  FROM pg_catalog.pg_constraint f
  CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (attnum, target, place)
  CROSS JOIN LATERAL (
    SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = f.conrelid AND a.attnum = k.attnum OFFSET 0
  ) a
  CROSS JOIN LATERAL (
    SELECT b.attname FROM pg_catalog.pg_attribute b WHERE b.attrelid = f.confrelid AND b.attnum = k.target OFFSET 0
  ) b
  JOIN pg_catalog.pg_index i ON i.indexrelid = f.conindid
  WHERE f.contype = 'f' AND f.conparentid = 0 AND NOT i.indisexclusion
  GROUP BY f.oid, f.conrelid, f.confrelid, f.conname, f.convalidated, f.condeferred
),

foreign_lists AS (
  SELECT f.conrelid, json_agg(json_build_object(
           'name', f.conname, 'columns', f.columns, 'schema', r.schema, 'table', r.name, 'references', f.references,
           'validated', f.convalidated, 'deferred', f.condeferred
         ) ORDER BY f.conname) FILTER (WHERE f.oid IS NOT NULL AND r.oid IS NOT NULL) AS list
  FROM foreign_columns f
  FULL JOIN relations r ON r.oid = f.confrelid
  GROUP BY f.conrelid
),

-- Trigger functions cannot be called. Functions of the gateway's own schema are there for files that name them.
routines AS MATERIALIZED (
  SELECT p.oid, s.name AS schema, p.proname AS name, p.provolatile AS volatility, p.prorettype AS result,
         p.proretset AS set, p.provariadic <> 0 AS variadic, p.pronargs AS inputs, p.pronargdefaults AS defaults,
         p.proargtypes AS argument_types, p.proallargtypes AS all_types, p.proargmodes AS modes, p.proargnames AS names
  FROM pg_catalog.pg_proc p
  JOIN (
    SELECT s.oid, s.name FROM spaces s
    UNION ALL
    SELECT n.oid, n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname = 'postern'
  ) s ON s.oid = p.pronamespace
  WHERE p.prokind = 'f'
    AND p.prorettype NOT IN ('pg_catalog.trigger'::regtype, 'pg_catalog.event_trigger'::regtype)
    AND NOT EXISTS (SELECT FROM extension_members e WHERE e.classid = 'pg_catalog.pg_proc'::regclass AND e.objid = p.oid)
),

-- proargnames counts the outputs too, proargtypes does not.
argument_names AS (
  SELECT p.oid, row_number() OVER (PARTITION BY p.oid ORDER BY n.place) AS place, n.name
  FROM routines p
  CROSS JOIN LATERAL unnest(p.names, p.modes) WITH ORDINALITY AS n (name, mode, place)
  WHERE n.mode IS NULL OR n.mode IN ('i', 'b', 'v')
),

argument_lists AS (
  SELECT p.oid, json_agg(json_build_object(
           'name', nullif(n.name, ''), 'type', a.type::int8, 'default', a.place > p.inputs - p.defaults
         ) ORDER BY a.place) AS list
  FROM routines p
  CROSS JOIN LATERAL unnest(p.argument_types::oid[]) WITH ORDINALITY AS a (type, place)
  LEFT JOIN argument_names n ON n.oid = p.oid AND n.place = a.place
  GROUP BY p.oid
),

-- The columns of RETURNS TABLE and of OUT arguments; Postgres itself names those without a name.
column_types AS (
  SELECT p.oid, n.name, n.type, row_number() OVER (PARTITION BY p.oid ORDER BY n.place) AS place
  FROM routines p
  CROSS JOIN LATERAL unnest(p.all_types, p.modes, p.names) WITH ORDINALITY AS n (type, mode, name, place)
  WHERE n.mode IN ('o', 'b', 't')
),

result_lists AS (
  SELECT c.oid, json_agg(json_build_object(
           'name', coalesce(nullif(c.name, ''), 'column' || c.place), 'type', c.type::int8
         ) ORDER BY c.place) AS list
  FROM column_types c
  GROUP BY c.oid
),

-- rngmultitypid is new in Postgres 14.
ranges AS MATERIALIZED (
  SELECT r.rngtypid AS range, r.rngsubtype AS subtype, (to_json(r) ->> 'rngmultitypid')::oid AS multirange
  FROM pg_catalog.pg_range r
),

-- Types that are needed in any case: the common scalars, and what users defined.
first_types AS MATERIALIZED (
  SELECT DISTINCT a.atttypid AS oid FROM attributes a
  UNION ALL
  -- What operators of ltree take.
  SELECT t.oid
  FROM pg_catalog.pg_type t
  JOIN extension_members e ON e.classid = 'pg_catalog.pg_type'::regclass AND e.objid = t.oid
  WHERE t.typname IN ('lquery', 'ltxtquery')
  UNION ALL
  SELECT p.result FROM routines p
  UNION ALL
  SELECT unnest(p.argument_types::oid[]) FROM routines p
  UNION ALL
  SELECT c.type FROM column_types c
  UNION ALL
  SELECT unnest(ARRAY[t.oid, t.typarray])
  FROM pg_catalog.pg_type t
  WHERE t.typnamespace = 'pg_catalog'::regnamespace
    AND t.typname IN ('bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'text', 'varchar', 'bpchar', 'name',
                      'uuid', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval', 'json', 'jsonb', 'bytea')
  UNION ALL
  SELECT unnest(ARRAY[t.oid, t.typarray])
  FROM pg_catalog.pg_type t
  JOIN spaces s ON s.oid = t.typnamespace
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
  WHERE (t.typtype IN ('e', 'd') OR c.relkind = 'c')
    AND NOT EXISTS (SELECT FROM extension_members e WHERE e.classid = 'pg_catalog.pg_type'::regclass AND e.objid = t.oid)
  UNION ALL
  -- What PostGIS' types are cast to and compared with.
  SELECT t.oid
  FROM extension_members e
  JOIN pg_catalog.pg_type t ON t.oid = e.objid
  WHERE e.classid = 'pg_catalog.pg_type'::regclass AND t.typname IN ('geometry', 'geography')
),

-- Each type with the types it is made of; those to begin with are part of nothing.
-- The planner takes an array to have ten elements. Were it to expect a type for each column, it would think the
-- statement so expensive that it compiled it first (jit), which takes four times as long as running it.
type_parts AS (
  SELECT NULL::oid AS whole, f.oid AS part
  FROM unnest(ARRAY(SELECT DISTINCT f.oid FROM first_types f WHERE f.oid <> 0)) AS f (oid)
  UNION
  SELECT p.part, n.oid
  FROM type_parts p
  JOIN pg_catalog.pg_type t ON t.oid = p.part
  CROSS JOIN LATERAL (
    SELECT t.typbasetype AS oid WHERE t.typtype = 'd'
    UNION ALL
    SELECT e.oid FROM pg_catalog.pg_type e WHERE t.typtype = 'b' AND e.oid = t.typelem AND e.typarray = t.oid
    UNION ALL
    SELECT r.subtype FROM ranges r WHERE t.typtype = 'r' AND r.range = t.oid
    UNION ALL
    SELECT r.range FROM ranges r WHERE t.typtype = 'm' AND r.multirange = t.oid
    UNION ALL
    SELECT a.atttypid FROM pg_catalog.pg_attribute a
    WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
  ) n
  -- Always true, and taken by the planner to hold for one in 200.
  WHERE p.part BETWEEN '1'::oid AND '4294967295'::oid
),

used_types AS MATERIALIZED (
  SELECT t.oid, t.typnamespace, t.typname, t.typcategory, t.typdelim, t.typtype, t.typbasetype, t.typrelid, t.typsend, e.oid AS element
  FROM (SELECT DISTINCT p.part AS oid FROM type_parts p) u
  JOIN pg_catalog.pg_type t ON t.oid = u.oid
  LEFT JOIN pg_catalog.pg_type e ON t.typtype = 'b' AND e.oid = t.typelem AND e.typarray = t.oid
),

-- What has no binary output, then what contains it.
not_binary AS (
  SELECT t.oid FROM used_types t WHERE t.typsend = 0
  UNION
  SELECT p.whole FROM not_binary n JOIN type_parts p ON p.part = n.oid WHERE p.whole IS NOT NULL
),

-- Types that a default btree operator class is made for, or for a type that they pass as (varchar as text).
orders AS MATERIALIZED (
  SELECT o.opcintype AS oid, o.opcfamily AS family
  FROM pg_catalog.pg_opclass o
  JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod
  WHERE m.amname = 'btree' AND o.opcdefault
),

own_orders AS MATERIALIZED (
  SELECT o.oid FROM orders o
  UNION
  SELECT c.castsource FROM pg_catalog.pg_cast c JOIN orders o ON o.oid = c.casttarget
  WHERE c.castmethod = 'b' AND c.castcontext = 'i'
),

-- The class of each type that users or extensions made: its own, or that of a type that it passes as. Of several types
-- that it passes as, Postgres takes the preferred one of their category.
own_classes AS MATERIALIZED (
  SELECT DISTINCT ON (t.oid) t.oid, o.oid AS class_type, o.family
  FROM used_types t
  JOIN orders o ON o.oid = t.oid
    OR o.oid IN (SELECT c.casttarget FROM pg_catalog.pg_cast c
                 WHERE c.castsource = t.oid AND c.castmethod = 'b' AND c.castcontext = 'i')
  JOIN pg_catalog.pg_type y ON y.oid = o.oid
  WHERE t.oid >= '16384'::oid AND t.typtype <> 'd'
  ORDER BY t.oid, o.oid <> t.oid, NOT y.typispreferred, o.oid
),

-- The operators of these classes, if one schema has all five under their usual symbols.
own_comparisons AS (
  SELECT c.oid, json_build_object('qualified', json_build_object(
           'schema', min(n.nspname),
           'as', CASE WHEN c.class_type <> c.oid THEN json_build_array(min(m.nspname), min(y.typname)) END,
           'unequal', EXISTS (SELECT FROM pg_catalog.pg_operator u
                              WHERE u.oprname = '<>' AND u.oprleft = c.class_type AND u.oprright = c.class_type
                                AND u.oprnamespace = min(n.oid::int8)::oid))) AS comparison
  FROM own_classes c
  JOIN pg_catalog.pg_amop a ON a.amopfamily = c.family AND a.amoplefttype = c.class_type AND a.amoprighttype = c.class_type
  JOIN pg_catalog.pg_operator o ON o.oid = a.amopopr AND o.oprname = (ARRAY['<', '<=', '=', '>=', '>'])[a.amopstrategy]
  JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
  JOIN pg_catalog.pg_type y ON y.oid = c.class_type
  JOIN pg_catalog.pg_namespace m ON m.oid = y.typnamespace
  GROUP BY c.oid, c.class_type
  HAVING count(*) = 5 AND count(DISTINCT n.oid) = 1
),

-- Types that have a cast which expressions use without being asked: the operators for every enum, range or record are
-- ambiguous for them, where the type that they are cast to has an operator in the same schema.
cast_types AS (
  SELECT c.castsource AS oid,
         bool_or(EXISTS (SELECT FROM pg_catalog.pg_operator o
                         WHERE o.oprname = '=' AND o.oprleft = c.casttarget
                           AND o.oprnamespace = 'pg_catalog'::regnamespace)) AS is_ambiguous
  FROM pg_catalog.pg_cast c
  WHERE c.castsource >= '16384'::oid AND c.castcontext = 'i'
  GROUP BY c.castsource
),

json_casts AS (
  SELECT c.castsource AS oid
  FROM pg_catalog.pg_cast c
  WHERE c.castsource >= '16384'::oid AND c.casttarget = 'json'::regtype AND c.castmethod = 'f'
),

-- Arrays, composites and domains are in order when their parts are; enums and ranges always are.
not_ordered AS (
  SELECT t.oid
  FROM used_types t
  WHERE t.typtype IN ('b', 'p') AND t.element IS NULL AND NOT EXISTS (SELECT FROM own_orders o WHERE o.oid = t.oid)
  UNION
  SELECT p.whole FROM not_ordered n JOIN type_parts p ON p.part = n.oid WHERE p.whole IS NOT NULL
),

labels AS (
  SELECT e.enumtypid, json_agg(e.enumlabel ORDER BY e.enumsortorder) AS list
  FROM pg_catalog.pg_enum e
  GROUP BY e.enumtypid
),

fields AS (
  SELECT t.oid, json_agg(json_build_object('name', a.attname, 'type', a.atttypid::int8) ORDER BY a.attnum) AS list
  FROM used_types t
  JOIN pg_catalog.pg_attribute a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE t.typtype = 'c'
  GROUP BY t.oid
),

table_comments AS (
  SELECT m.objoid AS oid, m.description
  FROM pg_catalog.pg_description m
  WHERE m.classoid = 'pg_catalog.pg_class'::regclass AND m.objsubid = 0
),

table_document AS (
  SELECT json_agg(json_build_object(
           'schema', r.schema,
           'name', r.name,
           'kind', CASE r.kind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned' WHEN 'v' THEN 'view'
                               WHEN 'm' THEN 'materialized' ELSE 'foreign' END,
           'comment', m.description,
           'estimated_rows', r.estimated_rows,
           'updatable', r.updatable,
           'rules', coalesce(b.list, '[]'),
           'denied', r.denied & 29,
           'allowed', coalesce(h.list, '[]'),
           'triggers', CASE WHEN r.updatable <> 0 THEN coalesce(e.effects, 0) ELSE 0 END,
           'row_security', pg_catalog.row_security_active(r.oid),
           'policies', r.policies,
           'has_children', r.has_children,
           'one_to_one', y.oid IS NOT NULL,
           'columns', coalesce(c.list, '[]'),
           'keys', coalesce(k.list, '[]'),
           'foreign_keys', coalesce(f.list, '[]'),
           'constraints', coalesce(g.list, '[]'),
           'indexes', coalesce(x.list, '[]'),
           'other_indexed', coalesce(o.list, '[]'),
           'spreads', coalesce(z.list, '[]')
         ) ORDER BY r.schema, r.name) FILTER (WHERE r.oid IS NOT NULL) AS list
  FROM relations r
  FULL JOIN column_lists c ON c.attrelid = r.oid
  FULL JOIN key_lists k ON k.indrelid = r.oid
  FULL JOIN foreign_lists f ON f.conrelid = r.oid
  FULL JOIN constraint_lists g ON g.oid = r.oid
  FULL JOIN allowed_lists h ON h.attrelid = r.oid
  FULL JOIN barring_rules b ON b.oid = r.oid
  FULL JOIN index_lists x ON x.indrelid = r.oid
  FULL JOIN other_index_lists o ON o.indrelid = r.oid
  FULL JOIN spread_lists z ON z.indrelid = r.oid
  FULL JOIN one_to_one y ON y.oid = r.oid
  FULL JOIN effects e ON e.oid = r.oid
  FULL JOIN table_comments m ON m.oid = r.oid
),

type_document AS (
  SELECT json_agg(json_build_object(
           'oid', t.oid::int8,
           'schema', n.nspname,
           'name', t.typname,
           'category', t.typcategory,
           'delimiter', nullif(t.typdelim, ','),
           'binary', NOT EXISTS (SELECT FROM not_binary b WHERE b.oid = t.oid),
           'ordered', NOT EXISTS (SELECT FROM not_ordered o WHERE o.oid = t.oid),
           'comparison', CASE
             WHEN w.oid IS NOT NULL THEN w.comparison
             WHEN t.oid < '16384'::oid OR t.typtype = 'd' OR t.element IS NOT NULL THEN '"native"'
             WHEN t.typtype = 'b' THEN '"none"'
             WHEN i.is_ambiguous THEN '"ambiguous"'
             WHEN NOT i.is_ambiguous THEN '{"qualified": {"schema": "pg_catalog", "unequal": true}}'
             ELSE '"native"'
           END,
           'json_cast', EXISTS (SELECT FROM json_casts j WHERE j.oid = t.oid),
           'kind', CASE t.typtype
             WHEN 'e' THEN json_build_object('enum', coalesce(l.list, '[]'))
             WHEN 'd' THEN json_build_object('domain', t.typbasetype::int8)
             WHEN 'c' THEN json_build_object('composite', coalesce(f.list, '[]'))
             WHEN 'r' THEN json_build_object('range', r.subtype::int8)
             WHEN 'm' THEN json_build_object('multirange', x.range::int8)
             WHEN 'p' THEN to_json('pseudo'::text)
             ELSE CASE WHEN t.element IS NULL THEN to_json('base'::text)
                       ELSE json_build_object('array', t.element::int8) END
           END,
           'comment', m.description
         ) ORDER BY t.oid) AS list
  FROM used_types t
  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  LEFT JOIN labels l ON l.enumtypid = t.oid
  LEFT JOIN fields f ON f.oid = t.oid
  LEFT JOIN ranges r ON r.range = t.oid
  LEFT JOIN ranges x ON x.multirange = t.oid
  LEFT JOIN own_comparisons w ON w.oid = t.oid
  LEFT JOIN cast_types i ON i.oid = t.oid
  LEFT JOIN pg_catalog.pg_description m ON m.classoid = 'pg_catalog.pg_type'::regclass AND m.objoid = t.oid AND m.objsubid = 0
       AND t.typnamespace <> 'pg_catalog'::regnamespace
),

function_document AS (
  SELECT json_agg(json_build_object(
           'schema', p.schema,
           'name', p.name,
           'volatility', CASE p.volatility WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
           'arguments', coalesce(a.list, '[]'),
           'result', p.result::int8,
           'set', p.set,
           'variadic', p.variadic,
           'columns', coalesce(r.list, '[]'),
           'comment', m.description
         ) ORDER BY p.schema, p.name, p.argument_types) AS list
  FROM routines p
  LEFT JOIN argument_lists a ON a.oid = p.oid
  LEFT JOIN result_lists r ON r.oid = p.oid
  LEFT JOIN pg_catalog.pg_description m ON m.classoid = 'pg_catalog.pg_proc'::regclass AND m.objoid = p.oid AND m.objsubid = 0
)

SELECT json_build_object(
         'server_version', current_setting('server_version_num')::int4,
         'database', current_database(),
         'search_path', (
           SELECT coalesce(json_agg(p.name ORDER BY p.place), '[]')
           FROM unnest(current_schemas(false)) WITH ORDINALITY AS p (name, place)
           -- A user called postern has the gateway's own schema as "$user".
           WHERE p.name NOT IN ('pg_catalog', 'postern')
         ),
         'tables', coalesce(t.list, '[]'),
         'types', coalesce(y.list, '[]'),
         'functions', coalesce(f.list, '[]'),
         'searches', (
           SELECT coalesce(json_agg(json_build_object(
                    'schema', n.nspname, 'name', c.cfgname, 'visible', pg_ts_config_is_visible(c.oid)
                  ) ORDER BY c.oid = get_current_ts_config() DESC, n.nspname, c.cfgname), '[]')
           FROM pg_catalog.pg_ts_config c
           JOIN pg_catalog.pg_namespace n ON n.oid = c.cfgnamespace
         )
       )::text
FROM table_document t, type_document y, function_document f
