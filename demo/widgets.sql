-- Visitors of the sites that embed the widgets, loaded after the schema. A visitor has a secret in the browser and is a
-- data subject without a name here; this table holds the secret's digest alone.

BEGIN;

CREATE TABLE widget_visitors (
  digest             bytea       NOT NULL CHECK (length(digest) = 32),
  data_controller_id uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  data_subject_id    uuid        NOT NULL CONSTRAINT widget_visitors_data_subject_key UNIQUE REFERENCES data_subjects ON DELETE CASCADE,
  created_at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (data_controller_id, digest)
);
COMMENT ON TABLE widget_visitors IS 'A pseudonymous visitor of a site that embeds the widgets.';
COMMENT ON COLUMN widget_visitors.digest IS 'SHA-256 of the secret in the visitor''s browser.';
COMMENT ON COLUMN widget_visitors.data_controller_id IS 'The controller whose site it is.';
COMMENT ON COLUMN widget_visitors.data_subject_id IS 'The data subject that stands for the visitor.';
COMMENT ON COLUMN widget_visitors.created_at IS 'When the visitor first made a choice.';

-- Two tabs may ask at once; the second one waits for the first and finds its visitor.
CREATE FUNCTION widget_visitor(controller uuid, secret_digest text) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  subject uuid;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(controller::text || secret_digest, 0));
  SELECT v.data_subject_id INTO subject FROM widget_visitors v
   WHERE v.data_controller_id = controller AND v.digest = decode(secret_digest, 'hex');
  IF subject IS NULL AND EXISTS (SELECT FROM data_controllers c WHERE c.id = controller) THEN
    INSERT INTO data_subjects (data_controller_id) VALUES (controller) RETURNING id INTO subject;
    INSERT INTO widget_visitors (digest, data_controller_id, data_subject_id)
    VALUES (decode(secret_digest, 'hex'), controller, subject);
  END IF;
  RETURN subject;
END $$;
COMMENT ON FUNCTION widget_visitor(uuid, text) IS 'The data subject of a visitor, made at the first call; null for an unknown controller.';

-- A visitor is whoever has opened a page, so a pseudonym has a few requests at a time. The lock makes parallel requests of one
-- pseudonym count each other.
CREATE FUNCTION limit_visitor_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM widget_visitors v WHERE v.data_subject_id = NEW.data_subject_id) THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(NEW.data_subject_id::text, 1));
    IF (SELECT count(*) FROM data_subject_rights_requests r
         WHERE r.data_subject_id = NEW.data_subject_id AND r.status NOT IN ('completed', 'rejected', 'withdrawn')
           OR r.data_subject_id = NEW.data_subject_id AND r.created_at > now() - interval '1 day' AND r.status = 'withdrawn') >= 20 THEN
      RAISE EXCEPTION 'a visitor has at most 20 requests at a time' USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION limit_visitor_requests() IS 'Refuses more than 20 open or lately withdrawn requests of one visitor.';
CREATE TRIGGER limit_visitor_requests BEFORE INSERT ON data_subject_rights_requests FOR EACH ROW EXECUTE FUNCTION limit_visitor_requests();

COMMIT;
