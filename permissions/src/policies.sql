WITH tables AS (
  SELECT c.oid, c.relname::text AS name, n.nspname::text AS schema, n.oid AS space, c.relowner, c.relacl,
         c.relrowsecurity AND NOT c.relforcerowsecurity AS spares_owner
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'postern')
),
privileges AS (
  SELECT t.oid AS "table", a.grantee FROM tables t, aclexplode(t.relacl) a WHERE a.grantee <> t.relowner
  UNION
  SELECT t.oid, x.grantee
  FROM tables t
  JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attacl IS NOT NULL AND NOT a.attisdropped, aclexplode(a.attacl) x
  WHERE x.grantee <> t.relowner
),
grantees AS (
  SELECT r.oid, r.rolname::text AS name, r.rolsuper OR r.rolbypassrls AS is_unlimited
  FROM pg_catalog.pg_roles r
  WHERE r.oid IN (SELECT grantee FROM privileges) AND r.rolname !~ '^pg_'
),
roles AS (
  SELECT oid, name, name AS "as" FROM grantees WHERE NOT is_unlimited
  UNION ALL
  SELECT r.oid, r.rolname::text, 'user'
  FROM pg_catalog.pg_roles r
  WHERE r.rolname = current_user AND NOT r.rolsuper AND NOT r.rolbypassrls AND NOT EXISTS (SELECT FROM grantees)
),
grants AS (
  SELECT r.name AS role, r."as", t.schema, t.name AS "table",
         has_schema_privilege(r.oid, t.space, 'USAGE') AS usage,
         CASE WHEN t.spares_owner AND pg_has_role(r.oid, t.relowner, 'USAGE') THEN o.rolname::text END AS "owner",
         ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
               WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
                 AND has_column_privilege(r.oid, t.oid, a.attnum, 'SELECT') ORDER BY a.attnum) AS "select",
         ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
               WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity <> 'a'
                 AND has_column_privilege(r.oid, t.oid, a.attnum, 'INSERT') ORDER BY a.attnum) AS "insert",
         ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
               WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity <> 'a'
                 AND has_column_privilege(r.oid, t.oid, a.attnum, 'UPDATE') ORDER BY a.attnum) AS "update",
         has_table_privilege(r.oid, t.oid, 'DELETE') AS "delete",
         ARRAY(SELECT lower(p) FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) p WHERE has_table_privilege(r.oid, t.oid, p)) AS whole
  FROM roles r
  CROSS JOIN tables t
  JOIN pg_catalog.pg_roles o ON o.oid = t.relowner
),
parents AS (
  SELECT oid, name FROM grantees
  UNION
  SELECT o.oid, o.rolname::text FROM tables t JOIN pg_catalog.pg_roles o ON o.oid = t.relowner
),
spaces AS (
  SELECT n.oid FROM pg_catalog.pg_namespace n
  WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'postern')
),
-- Everything in the database that may read a setting, whether a granted table leads to it or not: a function may be
-- called by a policy, an operator, a domain or another function, or be granted later.
readers AS (
  SELECT 'policy ' || p.polname || ' of ' || c.relname AS name, NULL AS "function",
         concat_ws(' ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) AS text
  FROM pg_catalog.pg_policy p
  JOIN pg_catalog.pg_class c ON c.oid = p.polrelid
  UNION ALL
  SELECT 'function ' || f.proname, f.proname::text, pg_get_functiondef(f.oid)
  FROM pg_catalog.pg_proc f
  JOIN spaces n ON n.oid = f.pronamespace
  JOIN pg_catalog.pg_language l ON l.oid = f.prolang
  WHERE f.prokind <> 'a' AND l.lanname NOT IN ('c', 'internal')
  UNION ALL
  SELECT CASE WHEN c.relkind IN ('v', 'm') THEN 'view ' ELSE 'rule of ' END || c.relname, NULL, pg_get_ruledef(w.oid)
  FROM pg_catalog.pg_rewrite w
  JOIN pg_catalog.pg_class c ON c.oid = w.ev_class
  JOIN spaces n ON n.oid = c.relnamespace
  UNION ALL
  SELECT CASE WHEN a.attgenerated = '' THEN 'default of ' ELSE 'expression of ' END || c.relname || '.' || a.attname, NULL,
         pg_get_expr(d.adbin, d.adrelid)
  FROM pg_catalog.pg_attrdef d
  JOIN pg_catalog.pg_class c ON c.oid = d.adrelid
  JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
  JOIN spaces n ON n.oid = c.relnamespace
  UNION ALL
  SELECT 'trigger ' || t.tgname || ' of ' || c.relname, NULL, pg_get_triggerdef(t.oid)
  FROM pg_catalog.pg_trigger t
  JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
  WHERE NOT t.tgisinternal
  UNION ALL
  SELECT 'constraint ' || k.conname, NULL, pg_get_constraintdef(k.oid)
  FROM pg_catalog.pg_constraint k
  JOIN spaces n ON n.oid = k.connamespace
  WHERE k.contype = 'c'
  UNION ALL
  SELECT 'type ' || t.typname, NULL, t.typdefault
  FROM pg_catalog.pg_type t
  JOIN spaces n ON n.oid = t.typnamespace
  WHERE t.typtype = 'd'
)
SELECT json_build_object(
  'user', current_user,
  'unlimited', (SELECT coalesce(json_agg(g.name ORDER BY g.name), '[]') FROM grantees g WHERE g.is_unlimited),
  'public', (SELECT coalesce(json_agg(t.name ORDER BY t.name), '[]') FROM tables t
             WHERE t.oid IN (SELECT "table" FROM privileges WHERE grantee = 0)),
  'owners', (SELECT coalesce(json_agg(DISTINCT o.rolname), '[]') FROM tables t JOIN pg_catalog.pg_roles o ON o.oid = t.relowner
             WHERE o.oid NOT IN (SELECT oid FROM roles)),
  'members', (SELECT coalesce(json_agg(json_build_object('name', m.rolname, 'parents', m.parents) ORDER BY m.rolname), '[]')
              FROM (SELECT r.rolname, ARRAY(SELECT p.name FROM parents p WHERE pg_has_role(r.oid, p.oid, 'USAGE') ORDER BY 1) AS parents
                    FROM pg_catalog.pg_roles r
                    WHERE NOT r.rolsuper AND r.rolname !~ '^pg_' AND r.oid NOT IN (SELECT oid FROM parents)
                      AND r.oid NOT IN (SELECT oid FROM roles)) AS m
              WHERE cardinality(m.parents) > 0),
  'grants', (SELECT coalesce(json_agg(to_json(g) ORDER BY g.schema, g."table", g."as"), '[]') FROM grants g
             WHERE cardinality(g."select") + cardinality(g."insert") + cardinality(g."update") > 0 OR g."delete"),
  'readers', (SELECT coalesce(json_agg(to_json(r) ORDER BY r.name), '[]') FROM readers r
              WHERE r."function" IS NOT NULL OR r.text ~* 'current_setting|show|[''$]')
)::text
