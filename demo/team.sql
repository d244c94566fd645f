-- A controller's team keeps somebody who can look after it.

BEGIN;

-- The lock lets changes of one team that run at the same time see each other.
CREATE FUNCTION keep_administrator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(OLD.data_controller_id::text, 3));
  IF EXISTS (SELECT FROM data_controllers c WHERE c.id = OLD.data_controller_id)
     AND NOT EXISTS (SELECT FROM data_controller_users m
                      WHERE m.data_controller_id = OLD.data_controller_id AND m.role = 'Administrator' AND m.status = 'active') THEN
    RAISE EXCEPTION 'a team keeps at least one active Administrator' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION keep_administrator() IS 'Refuses to remove, suspend or demote the last active Administrator of a controller.';
CREATE TRIGGER keep_administrator AFTER UPDATE OR DELETE ON data_controller_users FOR EACH ROW
  WHEN (OLD.role = 'Administrator' AND OLD.status = 'active') EXECUTE FUNCTION keep_administrator();

COMMIT;
