BEGIN;
-- Notifies gateways when a statement has written to a table, so that subscriptions see the change at once. Tables of other
-- owners are left out, also those that inherit from a table of the role.
CREATE OR REPLACE FUNCTION postern.notify_write() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog AS $notify$
BEGIN
  PERFORM pg_notify('postern_write', TG_RELID::text);
  RETURN NULL;
END $notify$;
DO $triggers$
DECLARE written regclass;
BEGIN
  FOR written IN
    SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND pg_catalog.has_table_privilege(c.oid, 'TRIGGER')
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'postern') AND n.nspname NOT LIKE 'pg\_toast%'
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid = c.oid AND tgname = 'postern_notify_write')
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend WHERE classid = 'pg_catalog.pg_class'::regclass AND objid = c.oid AND deptype = 'e')
  LOOP
    EXECUTE format('CREATE TRIGGER postern_notify_write AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s '
      'FOR EACH STATEMENT EXECUTE FUNCTION postern.notify_write()', written);
  END LOOP;
END $triggers$;
COMMIT;
