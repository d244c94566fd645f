WITH grantees AS (
  SELECT (aclexplode(c.relacl)).grantee AS oid FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm')
  UNION
  SELECT (aclexplode(a.attacl)).grantee FROM pg_catalog.pg_attribute a WHERE a.attacl IS NOT NULL
),
granted AS (
  SELECT r.oid, r.rolname::text AS name, true AS is_grantee
  FROM pg_catalog.pg_roles r
  JOIN grantees g ON g.oid = r.oid
  WHERE NOT r.rolsuper AND NOT r.rolbypassrls AND r.rolname !~ '^pg_'
),
roles AS (
  SELECT * FROM granted
  UNION ALL
  SELECT r.oid, 'user', false
  FROM pg_catalog.pg_roles r
  WHERE r.rolname = current_user AND NOT EXISTS (SELECT FROM granted)
),
tables AS (
  SELECT c.oid, c.relname::text AS name, n.nspname::text AS schema, n.oid AS space, c.relowner, c.relrowsecurity, c.relforcerowsecurity
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
    AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'postern')
),
privileges AS (
  SELECT r.name AS role, t.schema, t.name AS "table",
         t.relrowsecurity AND (t.relforcerowsecurity OR t.relowner <> r.oid OR NOT r.is_grantee) AS security,
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
         (SELECT coalesce(json_agg(json_build_object('name', p.polname, 'command', p.polcmd, 'permissive', p.polpermissive,
                                                     'using', pg_get_expr(p.polqual, p.polrelid),
                                                     'check', pg_get_expr(p.polwithcheck, p.polrelid)) ORDER BY p.polname), '[]')
          FROM pg_catalog.pg_policy p
          WHERE p.polrelid = t.oid
            AND EXISTS (SELECT FROM unnest(p.polroles) AS named (oid)
                        WHERE named.oid = 0 OR named.oid IN (SELECT m.oid FROM pg_catalog.pg_roles m) AND pg_has_role(r.oid, named.oid, 'USAGE'))
         ) AS policies
  FROM roles r
  CROSS JOIN tables t
  WHERE has_schema_privilege(r.oid, t.space, 'USAGE') AND (r.is_grantee AND t.relowner <> r.oid OR NOT r.is_grantee AND t.relrowsecurity)
)
SELECT json_build_object(
  'bypassing', (SELECT coalesce(json_agg(r.rolname ORDER BY r.rolname), '[]') FROM pg_catalog.pg_roles r
                JOIN grantees g ON g.oid = r.oid WHERE (r.rolsuper OR r.rolbypassrls) AND r.rolname <> current_user),
  'grants', (SELECT coalesce(json_agg(to_json(p) ORDER BY p.schema, p."table", p.role), '[]') FROM privileges p
             WHERE cardinality(p."select") + cardinality(p."insert") + cardinality(p."update") > 0 OR p."delete")
)::text
