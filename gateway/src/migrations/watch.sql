BEGIN;
-- Notifies gateways when the schema of the database changes, so that they read it again.
CREATE OR REPLACE FUNCTION postern.notify_reload() RETURNS event_trigger
  LANGUAGE plpgsql SET search_path = pg_catalog AS $notify$
BEGIN
  IF tg_event = 'sql_drop' THEN
    IF EXISTS (SELECT FROM pg_event_trigger_dropped_objects() WHERE NOT is_temporary) THEN
      NOTIFY postern_reload;
    END IF;
  ELSIF tg_tag <> 'REFRESH MATERIALIZED VIEW'
    AND EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name IS DISTINCT FROM 'pg_temp') THEN
    NOTIFY postern_reload;
  END IF;
END $notify$;
DROP EVENT TRIGGER IF EXISTS postern_reload;
CREATE EVENT TRIGGER postern_reload ON ddl_command_end EXECUTE FUNCTION postern.notify_reload();
DROP EVENT TRIGGER IF EXISTS postern_reload_drop;
CREATE EVENT TRIGGER postern_reload_drop ON sql_drop EXECUTE FUNCTION postern.notify_reload();
COMMIT;
