BEGIN;
-- Makes the publication `postern`, from which gateways learn of changed rows by logical replication. It contains the tables
-- of the role that have a replica identity: Postgres refuses updates of published tables without one. Partitions are in it
-- through the table that they belong to, now and later. Tables that inherit from others (INHERITS) have keys and owners of
-- their own, so each is judged by itself. Tables that an earlier run published without a replica identity are taken out.
DO $publication$
DECLARE
  published record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = 'postern') THEN
    CREATE PUBLICATION postern WITH (publish = 'insert, update, delete, truncate');
  END IF;
  FOR published IN
    WITH judged AS (
      SELECT c.oid, c.relkind, c.relreplident = 'f' AND c.relkind = 'r' OR EXISTS (
        SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indimmediate
          AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END) AS is_identified
      FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p')
    ), member AS (
      SELECT c.oid, c.relkind, j.is_identified, c.relpersistence = 'p' AND NOT c.relispartition
          AND pg_catalog.pg_has_role(c.relowner, 'USAGE')
          AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'postern') AND n.nspname NOT LIKE 'pg\_toast%'
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend
            WHERE classid = 'pg_catalog.pg_class'::regclass AND objid = c.oid AND deptype = 'e') AS is_wanted,
        -- A partition may have another replica identity than the table that it belongs to.
        c.relkind = 'r' AND NOT j.is_identified OR EXISTS (
          SELECT FROM pg_catalog.pg_partition_tree(c.oid) t JOIN judged l ON l.oid = t.relid
          WHERE c.relkind = 'p' AND t.isleaf AND NOT l.is_identified) AS is_refused,
        EXISTS (
          SELECT FROM pg_catalog.pg_publication_rel r JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid
          WHERE p.pubname = 'postern' AND r.prrelid = c.oid) AS is_member
      FROM judged j JOIN pg_catalog.pg_class c ON c.oid = j.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    )
    -- ONLY, because without it both statements act on the tables that inherit from a table, too.
    SELECT format('ALTER PUBLICATION postern %s TABLE %s %s', CASE WHEN m.is_member THEN 'DROP' ELSE 'ADD' END,
      CASE m.relkind WHEN 'r' THEN 'ONLY' ELSE '' END, m.oid::regclass) AS statement
    FROM member m JOIN pg_catalog.pg_publication p ON p.pubname = 'postern'
    WHERE m.is_member AND m.is_refused AND (p.pubupdate OR p.pubdelete)
      OR NOT m.is_member AND m.is_wanted AND m.is_identified AND NOT m.is_refused AND NOT p.puballtables
  LOOP
    EXECUTE published.statement;
  END LOOP;
END $publication$;
COMMIT;
