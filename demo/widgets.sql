-- Visitors of the sites that embed the widgets, loaded after the schema. A visitor has a secret in the browser, of which
-- this table holds the digest, and a pseudonym: the id of the data subject that the first choice makes.

BEGIN;

CREATE TABLE widget_visitors (
  digest                 bytea       NOT NULL CHECK (length(digest) = 32),
  data_controller_id     uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  data_subject_id        uuid        NOT NULL DEFAULT gen_random_uuid() CONSTRAINT widget_visitors_data_subject_key UNIQUE,
  global_privacy_control boolean     NOT NULL DEFAULT false,
  seen_at                timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (data_controller_id, digest)
);
COMMENT ON TABLE widget_visitors IS 'A pseudonymous visitor of a site that embeds the widgets.';
COMMENT ON COLUMN widget_visitors.digest IS 'SHA-256 of the secret in the visitor''s browser.';
COMMENT ON COLUMN widget_visitors.data_controller_id IS 'The controller whose site it is.';
COMMENT ON COLUMN widget_visitors.data_subject_id IS 'The visitor''s pseudonym. The data subject with this id exists from the first choice on, so the column refers to no table.';
COMMENT ON COLUMN widget_visitors.global_privacy_control IS 'Whether the visitor''s browser sends the Global Privacy Control signal.';
COMMENT ON COLUMN widget_visitors.seen_at IS 'When the visitor last had a session, to the hour.';
CREATE INDEX widget_visitors_seen_idx ON widget_visitors (seen_at);

-- Two tabs may ask at once; the second one waits for the first and finds its visitor. A secret belongs to one browser, so the signal
-- of a visitor is the one that this browser sent last. What a signal withdrew is not given again when the signal ends.
CREATE FUNCTION widget_visitor(controller uuid, secret_digest text, signal boolean DEFAULT false) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  visitor widget_visitors;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(controller::text || secret_digest, 0));
  SELECT v.* INTO visitor FROM widget_visitors v
   WHERE v.data_controller_id = controller AND v.digest = decode(secret_digest, 'hex');
  IF visitor.data_subject_id IS NULL THEN
    INSERT INTO widget_visitors AS v (digest, data_controller_id, global_privacy_control)
    SELECT decode(secret_digest, 'hex'), c.id, signal FROM data_controllers c WHERE c.id = controller
    RETURNING v.* INTO visitor;
    RETURN visitor.data_subject_id;
  END IF;
  UPDATE widget_visitors v SET global_privacy_control = signal, seen_at = now()
   WHERE v.data_subject_id = visitor.data_subject_id
     AND (v.global_privacy_control <> signal OR v.seen_at < now() - interval '1 hour');
  UPDATE data_subjects s SET global_privacy_control = signal
   WHERE s.id = visitor.data_subject_id AND s.global_privacy_control <> signal;
  RETURN visitor.data_subject_id;
END $$;
COMMENT ON FUNCTION widget_visitor(uuid, text, boolean) IS
  'The pseudonym of a visitor, made at the first call; null for an unknown controller. The signal is Global Privacy Control.';

-- A person has several browsers, so a browser without the signal does not undo what another one sent; the person does.
CREATE FUNCTION widget_person(controller uuid, subject uuid, signal boolean DEFAULT false) RETURNS uuid LANGUAGE plpgsql AS $$
BEGIN
  UPDATE data_subjects s SET global_privacy_control = true
   WHERE signal AND s.id = subject AND s.data_controller_id = controller AND NOT s.global_privacy_control;
  RETURN (SELECT s.id FROM data_subjects s WHERE s.id = subject AND s.data_controller_id = controller);
END $$;
COMMENT ON FUNCTION widget_person(uuid, uuid, boolean) IS
  'The person of a controller whom a site has identified; null for a stranger. The signal is Global Privacy Control.';

CREATE FUNCTION admit_visitor(subject uuid) RETURNS void LANGUAGE sql AS $$
  INSERT INTO data_subjects (id, data_controller_id, global_privacy_control)
  SELECT v.data_subject_id, v.data_controller_id, v.global_privacy_control FROM widget_visitors v
   WHERE v.data_subject_id = subject AND NOT EXISTS (SELECT FROM data_subjects s WHERE s.id = subject)
  ON CONFLICT (id) DO NOTHING
$$;
COMMENT ON FUNCTION admit_visitor(uuid) IS 'Makes the data subject of a visitor who makes a first choice; does nothing for others.';

-- The name of the trigger comes before those of others, which need the person: triggers of an event run in the order of their names.
CREATE FUNCTION admit_choosing_visitor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM admit_visitor(NEW.data_subject_id);
  RETURN NEW;
END $$;
COMMENT ON FUNCTION admit_choosing_visitor() IS 'Makes the data subject of a visitor whose first choice is this row.';
CREATE TRIGGER admit_choosing_visitor BEFORE INSERT ON data_subject_consent_form_values FOR EACH ROW EXECUTE FUNCTION admit_choosing_visitor();
CREATE TRIGGER admit_choosing_visitor BEFORE INSERT ON data_subject_rights_requests FOR EACH ROW EXECUTE FUNCTION admit_choosing_visitor();

-- Whose data are deleted is a new visitor the next time.
CREATE FUNCTION forget_visitor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM widget_visitors v WHERE v.data_subject_id = OLD.id;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION forget_visitor() IS 'Deletes the pseudonym of a data subject that is deleted.';
CREATE TRIGGER forget_visitor AFTER DELETE ON data_subjects FOR EACH ROW EXECUTE FUNCTION forget_visitor();

-- Called every hour by a schedule (gateway.toml), which has no use for the argument. A session lasts at most an hour.
CREATE FUNCTION forget_idle_visitors(event json DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
  DELETE FROM widget_visitors v
   WHERE v.seen_at < now() - interval '1 day' AND NOT EXISTS (SELECT FROM data_subjects s WHERE s.id = v.data_subject_id)
$$;
COMMENT ON FUNCTION forget_idle_visitors(json) IS 'Deletes the pseudonyms of visitors who have chosen nothing and had no session for a day.';

-- What is recorded about a visitor starts with a choice; activities.sql has the bounds.
CREATE FUNCTION require_first_choice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM widget_visitors v WHERE v.data_subject_id = NEW.data_subject_id)
     AND NOT EXISTS (SELECT FROM data_subjects s WHERE s.id = NEW.data_subject_id) THEN
    RAISE EXCEPTION 'activities of a visitor are recorded after a first choice' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION require_first_choice() IS 'Refuses activities of a visitor who has chosen nothing.';
CREATE TRIGGER require_first_choice BEFORE INSERT ON data_processing_activities FOR EACH ROW EXECUTE FUNCTION require_first_choice();

COMMIT;
