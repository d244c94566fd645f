BEGIN;
-- Makes the publication `postern`, from which gateways learn of changed rows by logical replication. It contains the tables
-- of the role that have a replica identity: Postgres refuses updates of published tables without one. Partitions are in it
-- through the table that they belong to, now and later.
DO $publication$
DECLARE published regclass;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = 'postern') THEN
    CREATE PUBLICATION postern WITH (publish = 'insert, update, delete, truncate');
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = 'postern' AND puballtables) THEN
    RETURN;
  END IF;
  FOR published IN
    SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND NOT c.relispartition
      AND pg_catalog.pg_has_role(c.relowner, 'USAGE')
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'postern') AND n.nspname NOT LIKE 'pg\_toast%'
      AND (c.relreplident = 'f' AND c.relkind = 'r' OR EXISTS (
        SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indimmediate
          AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END))
      -- A partition may have another replica identity than the table that it belongs to.
      AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_partition_tree(c.oid) t JOIN pg_catalog.pg_class l ON l.oid = t.relid
        WHERE t.isleaf AND c.relkind = 'p' AND l.relreplident <> 'f' AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = l.oid AND i.indisvalid AND i.indimmediate
            AND CASE l.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END))
      AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_publication_rel r JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid
        WHERE p.pubname = 'postern' AND r.prrelid = c.oid)
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend
        WHERE classid = 'pg_catalog.pg_class'::regclass AND objid = c.oid AND deptype = 'e')
  LOOP
    EXECUTE format('ALTER PUBLICATION postern ADD TABLE %s', published);
  END LOOP;
END $publication$;
COMMIT;
