, 'published', (SELECT coalesce(json_agg(oid::bigint), '[]') FROM (
    SELECT c.oid FROM pg_catalog.pg_publication_tables t
      JOIN pg_catalog.pg_namespace n ON n.nspname = t.schemaname
      JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
      WHERE t.pubname = $1 AND c.relkind = 'r' AND NOT c.relhassubclass
    UNION
    SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_publication p ON p.pubname = $1
      WHERE c.relkind = 'p' AND (p.puballtables OR EXISTS (
        SELECT FROM pg_catalog.pg_publication_rel r WHERE r.prpubid = p.oid
          AND r.prrelid IN (SELECT relid FROM pg_catalog.pg_partition_ancestors(c.oid))))) AS published),
  'parents', (SELECT coalesce(json_object_agg(child, parents), '{}') FROM (
    SELECT inhrelid::oid::text AS child, json_agg(inhparent::bigint) AS parents
      FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid AND c.relkind IN ('r', 'p')
      GROUP BY inhrelid) AS inherited))::text
