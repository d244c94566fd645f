-- The processing of rights requests. Triggers keep the rules of a request, whoever writes it; the event trigger
-- `data_subject_rights_requests_insert` and the schedule `rights_request_reminders` (gateway.toml) call functions at the end.
-- All that they write is visible through GraphQL under the row rules of permissions.toml.

BEGIN;

-- ---------------------------------------------------------------------------------------------------------
-- Tables
-- ---------------------------------------------------------------------------------------------------------

CREATE TABLE rights_request_workflows (
  id                uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_rights_request_id uuid NOT NULL UNIQUE REFERENCES data_subject_rights_requests ON DELETE CASCADE,
  data_subject_id   uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  state             text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'in_progress', 'closed')),
  assigned_to       uuid        REFERENCES users ON DELETE SET NULL,
  due_at            timestamptz NOT NULL,
  extended_at       timestamptz,
  extended_by       uuid,
  extension_reason  text        CHECK (char_length(extension_reason) BETWEEN 1 AND 1000),
  escalated_at      timestamptz,
  started_at        timestamptz NOT NULL DEFAULT now(),
  closed_at         timestamptz,
  CONSTRAINT rights_request_workflows_closed_check CHECK ((state = 'closed') = (closed_at IS NOT NULL)),
  CONSTRAINT rights_request_workflows_extended_check CHECK ((extension_reason IS NULL) = (extended_at IS NULL))
);
COMMENT ON TABLE rights_request_workflows IS 'The processing of a rights request: who answers it, and until when.';
COMMENT ON COLUMN rights_request_workflows.id IS 'The identifier.';
COMMENT ON COLUMN rights_request_workflows.data_subject_rights_request_id IS 'The request.';
COMMENT ON COLUMN rights_request_workflows.data_subject_id IS 'The person who asked.';
COMMENT ON COLUMN rights_request_workflows.state IS 'open, in_progress or closed.';
COMMENT ON COLUMN rights_request_workflows.assigned_to IS 'The member of the team who answers the request.';
COMMENT ON COLUMN rights_request_workflows.due_at IS 'When the answer is due: a month after the request, three months if extended (Article 12(3) GDPR), at the end of a working day of the controller''s country.';
COMMENT ON COLUMN rights_request_workflows.extended_at IS 'When the deadline was extended by two months.';
COMMENT ON COLUMN rights_request_workflows.extended_by IS 'The member of the team who extended the deadline.';
COMMENT ON COLUMN rights_request_workflows.extension_reason IS 'Why the deadline was extended, as the person reads it; setting it extends the deadline, once, before it is over.';
COMMENT ON COLUMN rights_request_workflows.escalated_at IS 'When the team''s Administrators were told that the request is overdue.';
COMMENT ON COLUMN rights_request_workflows.started_at IS 'When the processing began.';
COMMENT ON COLUMN rights_request_workflows.closed_at IS 'When the request was completed, rejected or withdrawn.';
CREATE INDEX rights_request_workflows_subject_idx ON rights_request_workflows (data_subject_id);
CREATE INDEX rights_request_workflows_assigned_idx ON rights_request_workflows (assigned_to) WHERE state <> 'closed';
CREATE INDEX rights_request_workflows_due_idx ON rights_request_workflows (due_at);

CREATE FUNCTION rights_request_workflow_is_overdue(workflow rights_request_workflows) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT workflow.due_at < coalesce(workflow.closed_at, now())
$$;
COMMENT ON FUNCTION rights_request_workflow_is_overdue(rights_request_workflows) IS 'Whether the answer is late, or was.';

CREATE TABLE rights_request_tasks (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  rights_request_workflow_id uuid NOT NULL REFERENCES rights_request_workflows ON DELETE CASCADE,
  data_subject_id uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  position        int         NOT NULL,
  code            text        NOT NULL CHECK (code IN ('identity', 'access', 'portability', 'rectification', 'restriction', 'objection', 'erasure', 'answer')),
  title           text        NOT NULL CHECK (title <> ''),
  titles          jsonb       NOT NULL CHECK (titles ?& '{en,de,nl}'),
  state           text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'skipped')),
  due_at          timestamptz NOT NULL,
  done_at         timestamptz,
  done_by         uuid,
  CONSTRAINT rights_request_tasks_position_key UNIQUE (rights_request_workflow_id, position),
  CONSTRAINT rights_request_tasks_done_check CHECK ((state = 'open') = (done_at IS NULL))
);
COMMENT ON TABLE rights_request_tasks IS 'A step of the processing of a rights request.';
COMMENT ON COLUMN rights_request_tasks.id IS 'The identifier.';
COMMENT ON COLUMN rights_request_tasks.rights_request_workflow_id IS 'The processing that the step belongs to.';
COMMENT ON COLUMN rights_request_tasks.data_subject_id IS 'The person who asked.';
COMMENT ON COLUMN rights_request_tasks.position IS 'The order of the steps, from 1.';
COMMENT ON COLUMN rights_request_tasks.code IS 'identity, access, portability, rectification, restriction, objection, erasure or answer.';
COMMENT ON COLUMN rights_request_tasks.title IS 'What has to be done, in the controller''s language.';
COMMENT ON COLUMN rights_request_tasks.titles IS 'What has to be done, by language: en, de and nl.';
COMMENT ON COLUMN rights_request_tasks.state IS 'open, done or skipped. What is open when the request is closed was skipped.';
COMMENT ON COLUMN rights_request_tasks.due_at IS 'When the step should be done; a working day.';
COMMENT ON COLUMN rights_request_tasks.done_at IS 'When the step was done or skipped.';
COMMENT ON COLUMN rights_request_tasks.done_by IS 'The member of the team who did or skipped the step; null if the service did.';
CREATE INDEX rights_request_tasks_subject_idx ON rights_request_tasks (data_subject_id);
CREATE INDEX rights_request_tasks_due_idx ON rights_request_tasks (due_at) WHERE state = 'open';

CREATE TABLE rights_request_documents (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_rights_request_id uuid NOT NULL REFERENCES data_subject_rights_requests ON DELETE RESTRICT,
  data_subject_id uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  title           text        NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
  media_type      text        NOT NULL CHECK (media_type IN ('text/plain', 'text/csv', 'text/html', 'application/json')),
  content         text        NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 8000000),
  created_by      uuid,
  created_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE rights_request_documents IS 'A document of the answer to a rights request.';
COMMENT ON COLUMN rights_request_documents.id IS 'The identifier.';
COMMENT ON COLUMN rights_request_documents.data_subject_rights_request_id IS 'The request that it answers.';
COMMENT ON COLUMN rights_request_documents.data_subject_id IS 'The person who asked.';
COMMENT ON COLUMN rights_request_documents.title IS 'What it is.';
COMMENT ON COLUMN rights_request_documents.media_type IS 'text/plain, text/csv, application/json or text/html.';
COMMENT ON COLUMN rights_request_documents.content IS 'The document.';
COMMENT ON COLUMN rights_request_documents.created_by IS 'The member of the team who attached it; null if the service made it.';
COMMENT ON COLUMN rights_request_documents.created_at IS 'When it was attached.';
CREATE INDEX rights_request_documents_request_idx ON rights_request_documents (data_subject_rights_request_id, created_at);
CREATE INDEX rights_request_documents_subject_idx ON rights_request_documents (data_subject_id);

CREATE TABLE rights_request_changes (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_rights_request_id uuid NOT NULL REFERENCES data_subject_rights_requests ON DELETE CASCADE,
  data_subject_id uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  at              timestamptz NOT NULL DEFAULT clock_timestamp(),
  field           text        NOT NULL CHECK (field IN ('status', 'verified', 'erased_at', 'assigned_to', 'due_at')),
  old_value       text        CHECK (char_length(old_value) <= 100),
  new_value       text        CHECK (char_length(new_value) <= 100),
  old_assigned_to uuid,
  new_assigned_to uuid,
  changed_by      uuid
);
COMMENT ON TABLE rights_request_changes IS 'A change of a rights request or its processing. Rows are added, and nothing else.';
COMMENT ON COLUMN rights_request_changes.id IS 'The identifier.';
COMMENT ON COLUMN rights_request_changes.data_subject_rights_request_id IS 'The request.';
COMMENT ON COLUMN rights_request_changes.data_subject_id IS 'The person who asked.';
COMMENT ON COLUMN rights_request_changes.at IS 'When it was changed.';
COMMENT ON COLUMN rights_request_changes.field IS 'What was changed: status, verified, erased_at, assigned_to or due_at.';
COMMENT ON COLUMN rights_request_changes.old_value IS 'The value before; null if there was none, and for assigned_to.';
COMMENT ON COLUMN rights_request_changes.new_value IS 'The value after; null if there is none, and for assigned_to.';
COMMENT ON COLUMN rights_request_changes.old_assigned_to IS 'Of assigned_to the member of the team before.';
COMMENT ON COLUMN rights_request_changes.new_assigned_to IS 'Of assigned_to the member of the team after.';
COMMENT ON COLUMN rights_request_changes.changed_by IS 'The member of the team who changed it; null if the person, the service or the operator did.';
CREATE INDEX rights_request_changes_request_idx ON rights_request_changes (data_subject_rights_request_id, at);
CREATE INDEX rights_request_changes_subject_idx ON rights_request_changes (data_subject_id);

CREATE TABLE team_reminders (
  id                  uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  rights_request_workflow_id uuid NOT NULL REFERENCES rights_request_workflows ON DELETE CASCADE,
  data_subject_id     uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  user_id             uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
  kind                text        NOT NULL CHECK (kind IN ('due_in_a_week', 'due_today', 'overdue')),
  is_read             boolean     NOT NULL DEFAULT false,
  created_at          timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT team_reminders_once_key UNIQUE (rights_request_workflow_id, user_id, kind)
);
COMMENT ON TABLE team_reminders IS 'A reminder of a deadline, for a member of the team.';
COMMENT ON COLUMN team_reminders.id IS 'The identifier.';
COMMENT ON COLUMN team_reminders.rights_request_workflow_id IS 'The processing that it is about.';
COMMENT ON COLUMN team_reminders.data_subject_id IS 'The person who asked.';
COMMENT ON COLUMN team_reminders.user_id IS 'The member of the team who is reminded: who answers the request, and the Administrators if it is overdue.';
COMMENT ON COLUMN team_reminders.kind IS 'due_in_a_week, due_today or overdue.';
COMMENT ON COLUMN team_reminders.is_read IS 'Whether the member has read it.';
COMMENT ON COLUMN team_reminders.created_at IS 'When the reminder was made.';
CREATE INDEX team_reminders_user_idx ON team_reminders (user_id, created_at);
CREATE INDEX team_reminders_subject_idx ON team_reminders (data_subject_id);

-- Nothing sends these mails yet: a mail service would take them by an event trigger on this table, and set sent_at.
CREATE TABLE outgoing_mails (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_id uuid        REFERENCES data_subjects ON DELETE RESTRICT,
  recipient       text        NOT NULL CHECK (recipient ~ '^[^@[:space:]]+@[^@[:space:]]+$' AND char_length(recipient) <= 320),
  language        text        NOT NULL CHECK (language IN ('en', 'de', 'nl')),
  subject         text        NOT NULL CHECK (char_length(subject) <= 200),
  body            text        NOT NULL CHECK (char_length(body) <= 30000),
  created_at      timestamptz NOT NULL DEFAULT now(),
  sent_at         timestamptz
);
COMMENT ON TABLE outgoing_mails IS 'A mail to a person or to a member of a team, for the mail service to send.';
COMMENT ON COLUMN outgoing_mails.id IS 'The identifier.';
COMMENT ON COLUMN outgoing_mails.data_subject_id IS 'The person it is about; null if it is about the account of a member of a team.';
COMMENT ON COLUMN outgoing_mails.recipient IS 'The address.';
COMMENT ON COLUMN outgoing_mails.language IS 'The language of the mail: en, de or nl.';
COMMENT ON COLUMN outgoing_mails.subject IS 'The subject line.';
COMMENT ON COLUMN outgoing_mails.body IS 'The text.';
COMMENT ON COLUMN outgoing_mails.created_at IS 'When it was written.';
COMMENT ON COLUMN outgoing_mails.sent_at IS 'When the mail service took it.';
CREATE INDEX outgoing_mails_waiting_idx ON outgoing_mails (created_at) WHERE sent_at IS NULL;
CREATE INDEX outgoing_mails_recipient_idx ON outgoing_mails (recipient, created_at);
CREATE INDEX outgoing_mails_subject_idx ON outgoing_mails (data_subject_id);

CREATE FUNCTION send_account_mail(mail json) RETURNS void LANGUAGE sql AS $$
  INSERT INTO outgoing_mails (recipient, language, subject, body) VALUES (mail ->> 'to', mail ->> 'locale', mail ->> 'subject', mail ->> 'text')
$$;
COMMENT ON FUNCTION send_account_mail(json) IS 'Takes the mails of accounts ([accounts.mail] in gateway.toml): links, codes and notices.';

-- ---------------------------------------------------------------------------------------------------------
-- Messages to the person
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION country_of_subject(subject uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT c.country FROM data_subjects s JOIN data_controllers c ON c.id = s.data_controller_id WHERE s.id = subject
$$;
COMMENT ON FUNCTION country_of_subject(uuid) IS 'The country of the controller that processes a person''s data.';

-- What the message of a kind says about a request: its title and its body, in the person's language.
CREATE FUNCTION rights_request_message(request data_subject_rights_requests, kind text, "values" jsonb DEFAULT '{}')
RETURNS TABLE (language text, title text, body text) LANGUAGE sql STABLE AS $$
  SELECT l.language, service_text(kind || '.title', l.language, v.all), service_text(kind || '.body', l.language, v.all)
    FROM data_subjects s
    JOIN data_controllers c ON c.id = s.data_controller_id
    LEFT JOIN rights_request_workflows w ON w.data_subject_rights_request_id = request.id
    CROSS JOIN LATERAL (SELECT language_of_subject(s.id) AS language, time_zone_of(c.country) AS zone) l
    CROSS JOIN LATERAL (SELECT jsonb_build_object(
      'request', service_text('request.' || request.request_type, l.language),
      'received', long_date((request.created_at AT TIME ZONE l.zone)::date, l.language),
      'due', long_date((coalesce(w.due_at, deadline(request.created_at, 1, c.country)) AT TIME ZONE l.zone)::date, l.language),
      'controller', c.title,
      'authority', coalesce(c.compliance_configuration ->> 'supervisoryAuthority', c.title),
      'reason', request.rejection_reason) || "values" AS all) v
   WHERE s.id = request.data_subject_id
$$;
COMMENT ON FUNCTION rights_request_message(data_subject_rights_requests, text, jsonb) IS 'Writes a message about a rights request in the person''s language.';

CREATE FUNCTION tell_about_rights_request(request data_subject_rights_requests, kind text, "values" jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  message record;
  address text := CASE WHEN request.contact_verified_at IS NOT NULL THEN request.contact_email
                  ELSE (SELECT s.email FROM data_subjects s WHERE s.id = request.data_subject_id) END;
BEGIN
  SELECT m.* INTO message FROM rights_request_message(request, kind, "values") m;
  INSERT INTO notification_messages (data_subject_id, kind, title, body)
  VALUES (request.data_subject_id, 'rights_request', message.title, message.body);
  IF address IS NOT NULL THEN
    INSERT INTO outgoing_mails (data_subject_id, recipient, language, subject, body)
    VALUES (request.data_subject_id, address, message.language, message.title, message.body);
  END IF;
END $$;
COMMENT ON FUNCTION tell_about_rights_request(data_subject_rights_requests, text, jsonb) IS
  'Sends a person a message about a request, by mail too if an address is known.';

-- ---------------------------------------------------------------------------------------------------------
-- The start
-- ---------------------------------------------------------------------------------------------------------

-- A workflow with its steps, assigned to the editor of the controller who has the fewest open ones.
CREATE FUNCTION start_rights_request_workflow(request data_subject_rights_requests) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  country CONSTANT text := country_of_subject(request.data_subject_id);
  received_on CONSTANT date := (request.created_at AT TIME ZONE time_zone_of(country))::date;
  workflow rights_request_workflows;
BEGIN
  INSERT INTO rights_request_workflows (data_subject_rights_request_id, data_subject_id, state, assigned_to, due_at)
  SELECT request.id, request.data_subject_id, CASE request.status WHEN 'in_progress' THEN 'in_progress' ELSE 'open' END, (
    SELECT m.user_id FROM data_subjects s
    JOIN data_controller_users m ON m.data_controller_id = s.data_controller_id
    WHERE s.id = request.data_subject_id AND m.status = 'active' AND m.role IN ('Editor', 'Administrator')
    ORDER BY (SELECT count(*) FROM rights_request_workflows w WHERE w.assigned_to = m.user_id AND w.state <> 'closed'), m.user_id
    LIMIT 1
  ), deadline(request.created_at, 1, country)
  ON CONFLICT (data_subject_rights_request_id) DO NOTHING
  RETURNING * INTO workflow;
  IF workflow.id IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO rights_request_tasks (rights_request_workflow_id, data_subject_id, position, code, title, titles, state, due_at, done_at, done_by)
  SELECT workflow.id, request.data_subject_id, t.position, t.code, l.titles ->> c.language, l.titles,
         CASE WHEN t.code = 'identity' AND request.verified THEN 'done' ELSE 'open' END, t.due_at,
         CASE WHEN t.code = 'identity' THEN request.verified_at END, CASE WHEN t.code = 'identity' THEN request.verified_by END
    FROM data_subjects s
    JOIN data_controllers c ON c.id = s.data_controller_id
    CROSS JOIN (VALUES
      (1, 'identity', step_deadline(received_on + 7, country)),
      (2, CASE request.request_type WHEN 'deletion' THEN 'erasure' ELSE request.request_type END, step_deadline(received_on + 21, country)),
      (3, 'answer', workflow.due_at)
    ) AS t (position, code, due_at)
    CROSS JOIN LATERAL (SELECT service_labels('task.' || t.code) AS titles) l
   WHERE s.id = request.data_subject_id;
  RETURN true;
END $$;
COMMENT ON FUNCTION start_rights_request_workflow(data_subject_rights_requests) IS
  'Starts the processing of a rights request, unless it has begun; returns whether it was started.';

-- The target of the event trigger `data_subject_rights_requests_insert`.
CREATE FUNCTION start_rights_request(event json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  request data_subject_rights_requests;
BEGIN
  -- A request may have ended before its event is processed; one that ends meanwhile waits for this transaction.
  SELECT r.* INTO request FROM data_subject_rights_requests r
  WHERE r.id = (event #>> '{event,data,new,id}')::uuid FOR SHARE;
  IF NOT FOUND OR request.closed_at IS NOT NULL OR NOT start_rights_request_workflow(request) THEN
    RETURN;
  END IF;
  PERFORM tell_about_rights_request(request,
    CASE WHEN request.channel = 'visitor' AND request.contact_verified_at IS NULL THEN 'unreachable' ELSE 'received' END);
END $$;
COMMENT ON FUNCTION start_rights_request(json) IS 'Starts the processing of a rights request and tells the person.';

-- ---------------------------------------------------------------------------------------------------------
-- The rules of a request
-- ---------------------------------------------------------------------------------------------------------

-- After the insert, so that the rules of the role come first: who may not write for a person does not learn how many requests
-- the person has. The lock makes parallel requests of one person count each other.
CREATE FUNCTION limit_rights_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(NEW.data_subject_id::text, 1));
  IF (SELECT count(*) FROM data_subject_rights_requests r
       WHERE r.data_subject_id = NEW.data_subject_id
         AND (r.closed_at IS NULL OR r.status = 'withdrawn' AND r.created_at > now() - interval '1 day')) > 20 THEN
    RAISE EXCEPTION 'a person has at most 20 open requests at a time' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION limit_rights_requests() IS 'Refuses more than 20 open or lately withdrawn requests of one person.';
CREATE TRIGGER limit_rights_requests AFTER INSERT ON data_subject_rights_requests FOR EACH ROW
  WHEN (NEW.closed_at IS NULL) EXECUTE FUNCTION limit_rights_requests();

-- Grants offer the caller as verified_by and closed_by with each change; it is kept with the change that it belongs to.
CREATE FUNCTION keep_rights_request() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_update CONSTANT boolean := TG_OP = 'UPDATE';
  closes boolean := NEW.status IN ('completed', 'rejected', 'withdrawn');
  has_documents boolean;
BEGIN
  IF is_update AND OLD.closed_at IS NOT NULL THEN
    -- What reaches the person may be forgotten later; nothing else changes.
    IF to_jsonb(NEW) - '{contact_email,contact_verified_at,updated_at}'::text[]
         IS DISTINCT FROM to_jsonb(OLD) - '{contact_email,contact_verified_at,updated_at}'::text[]
       OR NEW.contact_email IS NOT NULL AND NEW.contact_email IS DISTINCT FROM OLD.contact_email THEN
      RAISE EXCEPTION 'a request that is closed stays as it is' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END IF;
  IF is_update AND (NEW.data_subject_id, NEW.request_type, NEW.channel, NEW.created_at)
       IS DISTINCT FROM (OLD.data_subject_id, OLD.request_type, OLD.channel, OLD.created_at) THEN
    RAISE EXCEPTION 'a request keeps its person, its kind and its time' USING ERRCODE = 'check_violation';
  END IF;

  IF NOT NEW.verified THEN
    NEW.verified_at := NULL;
    NEW.verified_by := NULL;
  ELSIF is_update AND OLD.verified THEN
    NEW.verified_at := OLD.verified_at;
    NEW.verified_by := OLD.verified_by;
  ELSE
    NEW.verified_at := CASE WHEN is_update THEN now() ELSE coalesce(NEW.verified_at, NEW.updated_at) END;
  END IF;
  IF NEW.verified AND NEW.identity_evidence IS NULL AND NEW.channel = 'signed_in' THEN
    NEW.identity_evidence := 'The person was signed in';
  END IF;

  IF NOT closes THEN
    NEW.closed_at := NULL;
    NEW.closed_by := NULL;
    RETURN NEW;
  END IF;
  NEW.closed_at := CASE WHEN is_update THEN now() ELSE coalesce(NEW.closed_at, NEW.updated_at) END;
  IF NEW.status = 'rejected' AND NEW.rejection_reason IS NULL THEN
    RAISE EXCEPTION 'a rejected request has a reason (rejectionReason), which the person reads' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.status = 'completed' THEN
    IF NOT NEW.verified THEN
      RAISE EXCEPTION 'a request is completed after the identity of the person was checked (verified)' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.identity_evidence IS NULL THEN
      RAISE EXCEPTION 'say how the identity was checked (identityEvidence) before the request is completed' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.request_type IN ('erasure', 'deletion') AND NEW.erased_at IS NULL THEN
      RAISE EXCEPTION 'run the erasure (runErasure) before the request is completed' USING ERRCODE = 'check_violation';
    END IF;
    has_documents := is_update AND EXISTS (SELECT FROM rights_request_documents d WHERE d.data_subject_rights_request_id = NEW.id);
    IF is_update AND NOT has_documents AND NEW.request_type IN ('access', 'portability') THEN
      PERFORM attach_data_subject_export(NEW);
      NEW.result := coalesce(NEW.result, service_text('result.export', language_of_subject(NEW.data_subject_id)));
    ELSIF has_documents THEN
      NEW.result := coalesce(NEW.result, service_text('result.documents', language_of_subject(NEW.data_subject_id)));
    END IF;
    IF NEW.result IS NULL THEN
      RAISE EXCEPTION 'a completed request has a result: a text (result) or a document' USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION keep_rights_request() IS 'Refuses what a rights request may not become, and keeps who did what when.';
CREATE TRIGGER keep_rights_request BEFORE INSERT OR UPDATE ON data_subject_rights_requests FOR EACH ROW EXECUTE FUNCTION keep_rights_request();

-- What follows from a change, in the same transaction: the steps, the state of the processing, and a message to the person.
CREATE FUNCTION follow_rights_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.closed_at IS NOT NULL THEN
    RETURN NULL;
  END IF;
  -- Its event may still wait.
  IF NEW.closed_at IS NOT NULL THEN
    PERFORM start_rights_request_workflow(NEW);
  END IF;
  IF NEW.verified <> OLD.verified THEN
    UPDATE rights_request_tasks t
       SET state = CASE WHEN NEW.verified THEN 'done' ELSE 'open' END, done_at = NEW.verified_at, done_by = NEW.verified_by
      FROM rights_request_workflows w
     WHERE w.data_subject_rights_request_id = NEW.id AND t.rights_request_workflow_id = w.id AND t.code = 'identity';
    IF NEW.verified AND NEW.closed_at IS NULL THEN
      PERFORM tell_about_rights_request(NEW, 'verified');
    END IF;
  END IF;
  IF NEW.erased_at IS DISTINCT FROM OLD.erased_at THEN
    PERFORM finish_rights_request_step(NEW.id, 'erasure', 'done', NEW.erased_by);
  END IF;
  IF NEW.closed_at IS NOT NULL THEN
    IF NEW.status = 'completed' THEN
      PERFORM finish_rights_request_step(NEW.id, 'answer', 'done', NEW.closed_by);
    END IF;
    PERFORM finish_rights_request_step(NEW.id, NULL, 'skipped', NEW.closed_by);
    UPDATE rights_request_workflows w SET state = 'closed', closed_at = NEW.closed_at
     WHERE w.data_subject_rights_request_id = NEW.id;
    PERFORM tell_about_rights_request(NEW, NEW.status);
    IF NEW.erased_at IS NOT NULL THEN
      UPDATE data_subject_rights_requests r SET contact_email = NULL, contact_verified_at = NULL WHERE r.id = NEW.id AND r.contact_email IS NOT NULL;
    END IF;
  ELSIF NEW.status <> OLD.status THEN
    UPDATE rights_request_workflows w SET state = CASE NEW.status WHEN 'in_progress' THEN 'in_progress' ELSE 'open' END
     WHERE w.data_subject_rights_request_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION follow_rights_request() IS 'Carries a change of a rights request to its processing, and tells the person.';
CREATE TRIGGER follow_rights_request AFTER UPDATE ON data_subject_rights_requests FOR EACH ROW EXECUTE FUNCTION follow_rights_request();

CREATE FUNCTION finish_rights_request_step(request uuid, step text, new_state text, member uuid) RETURNS void LANGUAGE sql AS $$
  UPDATE rights_request_tasks t SET state = new_state, done_by = member
    FROM rights_request_workflows w
   WHERE w.data_subject_rights_request_id = request AND t.rights_request_workflow_id = w.id AND t.state = 'open'
     AND (step IS NULL OR t.code = step)
$$;
COMMENT ON FUNCTION finish_rights_request_step(uuid, text, text, uuid) IS 'Marks the open steps of a code, or all open ones, as done or skipped.';

CREATE FUNCTION keep_rights_request_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM rights_request_workflows w WHERE w.id = OLD.rights_request_workflow_id AND w.state = 'closed') THEN
    RAISE EXCEPTION 'the steps of a request that is closed stay as they are' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.state = OLD.state THEN
    NEW.done_at := OLD.done_at;
    NEW.done_by := OLD.done_by;
  ELSIF NEW.state = 'open' THEN
    NEW.done_at := NULL;
    NEW.done_by := NULL;
  ELSE
    NEW.done_at := coalesce(CASE WHEN NEW.code = 'identity' THEN NEW.done_at END, now());
  END IF;
  -- The service marks these two when what they stand for has happened.
  IF NEW.state <> OLD.state AND NEW.code IN ('identity', 'erasure', 'answer') AND pg_trigger_depth() = 1 THEN
    RAISE EXCEPTION '%', CASE NEW.code
      WHEN 'identity' THEN 'this step is done when the request is marked as verified'
      WHEN 'erasure' THEN 'this step is done when the erasure has run (runErasure)'
      ELSE 'this step is done when the request is completed' END USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION keep_rights_request_task() IS 'Keeps who did a step, and when, and refuses changes after the end.';
CREATE TRIGGER keep_rights_request_task BEFORE UPDATE ON rights_request_tasks FOR EACH ROW EXECUTE FUNCTION keep_rights_request_task();

-- Who gives a reason for an extension extends the deadline, and the person is told why.
CREATE FUNCTION keep_rights_request_workflow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  request data_subject_rights_requests;
  country CONSTANT text := country_of_subject(OLD.data_subject_id);
BEGIN
  IF OLD.state = 'closed' THEN
    RAISE EXCEPTION 'the processing of a request that is closed stays as it is' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.extension_reason IS NOT DISTINCT FROM OLD.extension_reason THEN
    NEW.extended_at := OLD.extended_at;
    NEW.extended_by := OLD.extended_by;
    RETURN NEW;
  END IF;
  IF OLD.extended_at IS NOT NULL OR NEW.extension_reason IS NULL OR OLD.due_at < now() THEN
    RAISE EXCEPTION 'a deadline is extended once, while the request is open and not overdue' USING ERRCODE = 'check_violation';
  END IF;
  SELECT r.* INTO STRICT request FROM data_subject_rights_requests r WHERE r.id = OLD.data_subject_rights_request_id;
  NEW.extended_at := now();
  NEW.due_at := deadline(request.created_at, 3, country);
  RETURN NEW;
END $$;
COMMENT ON FUNCTION keep_rights_request_workflow() IS 'Extends the deadline of a rights request by two months (Article 12(3) GDPR), and refuses changes after the end.';
CREATE TRIGGER keep_rights_request_workflow BEFORE UPDATE ON rights_request_workflows FOR EACH ROW EXECUTE FUNCTION keep_rights_request_workflow();

CREATE FUNCTION follow_extension() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  request data_subject_rights_requests;
BEGIN
  SELECT r.* INTO STRICT request FROM data_subject_rights_requests r WHERE r.id = NEW.data_subject_rights_request_id;
  UPDATE rights_request_tasks t
     SET due_at = CASE t.code WHEN 'answer' THEN NEW.due_at
                  ELSE step_deadline((t.due_at AT TIME ZONE 'UTC' + interval '2 months')::date, country_of_subject(NEW.data_subject_id)) END
   WHERE t.rights_request_workflow_id = NEW.id AND t.state = 'open' AND t.code <> 'identity';
  PERFORM tell_about_rights_request(request, 'extended', jsonb_build_object('reason', NEW.extension_reason));
  RETURN NULL;
END $$;
COMMENT ON FUNCTION follow_extension() IS 'Moves the open steps of an extended request, and tells the person.';
CREATE TRIGGER follow_extension AFTER UPDATE ON rights_request_workflows FOR EACH ROW
  WHEN (NEW.extended_at IS DISTINCT FROM OLD.extended_at) EXECUTE FUNCTION follow_extension();

-- A request that does not exist gives no person, so the rules of the role refuse it like a foreign one.
CREATE FUNCTION complete_rights_request_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.data_subject_id := coalesce(
    (SELECT r.data_subject_id FROM data_subject_rights_requests r WHERE r.id = NEW.data_subject_rights_request_id),
    '00000000-0000-0000-0000-000000000000');
  RETURN NEW;
END $$;
COMMENT ON FUNCTION complete_rights_request_document() IS 'Notes the person whose request a document answers.';
CREATE TRIGGER complete_rights_request_document BEFORE INSERT ON rights_request_documents FOR EACH ROW
  EXECUTE FUNCTION complete_rights_request_document();

CREATE FUNCTION limit_rights_request_documents() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  request data_subject_rights_requests;
BEGIN
  SELECT r.* INTO request FROM data_subject_rights_requests r WHERE r.id = NEW.data_subject_rights_request_id FOR SHARE;
  IF request.closed_at < NEW.created_at THEN
    RAISE EXCEPTION 'documents are attached before the request is closed' USING ERRCODE = 'check_violation';
  END IF;
  IF (SELECT count(*) FROM rights_request_documents d WHERE d.data_subject_rights_request_id = request.id) > 20 THEN
    RAISE EXCEPTION 'a request has at most 20 documents' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION limit_rights_request_documents() IS 'Refuses documents after a request was closed, and too many.';
CREATE TRIGGER limit_rights_request_documents AFTER INSERT ON rights_request_documents FOR EACH ROW
  EXECUTE FUNCTION limit_rights_request_documents();

CREATE FUNCTION keep_rights_request_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'a document stays as it was attached' USING ERRCODE = 'check_violation';
  END IF;
  PERFORM FROM data_subject_rights_requests r WHERE r.id = OLD.data_subject_rights_request_id AND r.closed_at IS NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a document of a closed request stays' USING ERRCODE = 'check_violation';
  END IF;
  RETURN OLD;
END $$;
COMMENT ON FUNCTION keep_rights_request_document() IS 'Refuses changes of documents, and their removal after a request was closed.';
CREATE TRIGGER keep_rights_request_document BEFORE UPDATE OR DELETE ON rights_request_documents FOR EACH ROW
  EXECUTE FUNCTION keep_rights_request_document();

-- Who changed what, and when. Grants offer the caller as closed_by of a request and extended_by of its processing, with each
-- change; a statement that does not name the column is of the person, the service or the operator.
CREATE FUNCTION give_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('privacy.member', coalesce(CASE TG_TABLE_NAME WHEN 'rights_request_workflows' THEN to_jsonb(NEW) ->> 'extended_by'
                                                ELSE to_jsonb(NEW) ->> 'closed_by' END, ''), true);
  RETURN NEW;
END $$;
COMMENT ON FUNCTION give_member() IS 'Hands the member of the team who makes a change to record_change.';
CREATE TRIGGER give_member BEFORE UPDATE OF closed_by ON data_subject_rights_requests FOR EACH ROW EXECUTE FUNCTION give_member();
CREATE TRIGGER give_member BEFORE UPDATE OF extended_by ON rights_request_workflows FOR EACH ROW EXECUTE FUNCTION give_member();

CREATE FUNCTION changing_member() RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT nullif(current_setting('privacy.member', true), '')::uuid
$$;
COMMENT ON FUNCTION changing_member() IS 'The member of the team whom give_member has handed over.';

CREATE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  member CONSTANT uuid := changing_member();
BEGIN
  -- The next change is another caller's, until a trigger says who it is.
  PERFORM set_config('privacy.member', '', true);
  IF TG_TABLE_NAME = 'data_subject_rights_requests' THEN
    INSERT INTO rights_request_changes (data_subject_rights_request_id, data_subject_id, field, old_value, new_value, changed_by)
    SELECT NEW.id, NEW.data_subject_id, c.field, c.old_value, c.new_value, CASE c.field WHEN 'erased_at' THEN NEW.erased_by ELSE member END
      FROM (VALUES ('verified', OLD.verified::text, NEW.verified::text),
                   ('erased_at', to_jsonb(OLD.erased_at) #>> '{}', to_jsonb(NEW.erased_at) #>> '{}'),
                   ('status', OLD.status, NEW.status)) AS c (field, old_value, new_value)
     WHERE c.old_value IS DISTINCT FROM c.new_value;
  ELSE
    INSERT INTO rights_request_changes (data_subject_rights_request_id, data_subject_id, field, old_value, new_value, old_assigned_to, new_assigned_to, changed_by)
    SELECT NEW.data_subject_rights_request_id, NEW.data_subject_id, c.field, c.old_value, c.new_value, c.old_assigned_to, c.new_assigned_to, member
      FROM (VALUES ('assigned_to', NULL, NULL, OLD.assigned_to, NEW.assigned_to),
                   ('due_at', to_jsonb(OLD.due_at) #>> '{}', to_jsonb(NEW.due_at) #>> '{}', NULL, NULL))
           AS c (field, old_value, new_value, old_assigned_to, new_assigned_to)
     WHERE (c.old_value, c.old_assigned_to) IS DISTINCT FROM (c.new_value, c.new_assigned_to);
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION record_change() IS 'Keeps who changed a rights request or its processing, and when.';
-- After the triggers keep_…, which have the last word on the row.
CREATE TRIGGER record_change BEFORE UPDATE ON data_subject_rights_requests FOR EACH ROW EXECUTE FUNCTION record_change();
CREATE TRIGGER record_change BEFORE UPDATE ON rights_request_workflows FOR EACH ROW EXECUTE FUNCTION record_change();

CREATE FUNCTION refuse_change_of_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the history of a request is added to, and never changed or deleted' USING ERRCODE = 'check_violation';
END $$;
COMMENT ON FUNCTION refuse_change_of_history() IS 'Refuses whatever would alter the history of a request.';
-- What goes with a request that is deleted while it is open goes at the depth of its foreign key.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON rights_request_changes FOR EACH STATEMENT
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change_of_history();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON rights_request_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_history();

-- Closed requests with their processing are evidence, whoever deletes.
CREATE FUNCTION keep_closed_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what belongs to a request that is closed stays' USING ERRCODE = 'check_violation';
END $$;
COMMENT ON FUNCTION keep_closed_request() IS 'Refuses to delete closed requests.';
CREATE TRIGGER keep_closed_request BEFORE DELETE ON data_subject_rights_requests FOR EACH ROW
  WHEN (OLD.closed_at IS NOT NULL) EXECUTE FUNCTION keep_closed_request();
CREATE TRIGGER keep_closed_request BEFORE DELETE ON rights_request_workflows FOR EACH ROW
  WHEN (OLD.closed_at IS NOT NULL) EXECUTE FUNCTION keep_closed_request();
CREATE TRIGGER keep_closed_requests BEFORE TRUNCATE ON data_subject_rights_requests FOR EACH STATEMENT EXECUTE FUNCTION keep_closed_request();
CREATE TRIGGER keep_closed_requests BEFORE TRUNCATE ON rights_request_workflows FOR EACH STATEMENT EXECUTE FUNCTION keep_closed_request();
CREATE TRIGGER keep_closed_requests BEFORE TRUNCATE ON rights_request_tasks FOR EACH STATEMENT EXECUTE FUNCTION keep_closed_request();
CREATE TRIGGER keep_closed_requests BEFORE TRUNCATE ON rights_request_documents FOR EACH STATEMENT EXECUTE FUNCTION keep_closed_request();

-- ---------------------------------------------------------------------------------------------------------
-- Reminders
-- ---------------------------------------------------------------------------------------------------------

-- The target of the schedule `rights_request_reminders`. It may run any number of times: a reminder is made once. Mails that
-- were sent, and codes that are no longer valid, are forgotten.
CREATE FUNCTION remind_of_rights_requests(payload json DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  late record;
BEGIN
  INSERT INTO team_reminders (rights_request_workflow_id, data_subject_id, user_id, kind)
  SELECT w.id, w.data_subject_id, m.user_id, r.kind
    FROM rights_request_workflows w
    JOIN data_subjects s ON s.id = w.data_subject_id
    JOIN data_controllers c ON c.id = s.data_controller_id
    CROSS JOIN LATERAL (SELECT (w.due_at AT TIME ZONE time_zone_of(c.country))::date - (now() AT TIME ZONE time_zone_of(c.country))::date AS days) d
    CROSS JOIN LATERAL (SELECT CASE WHEN w.due_at < now() THEN 'overdue' WHEN d.days = 0 THEN 'due_today' ELSE 'due_in_a_week' END AS kind) r
    JOIN data_controller_users m ON m.data_controller_id = s.data_controller_id AND m.status = 'active'
     AND (m.user_id = w.assigned_to
          OR m.role = 'Administrator' AND (r.kind = 'overdue' OR NOT EXISTS (
               SELECT FROM data_controller_users a
                WHERE a.data_controller_id = s.data_controller_id AND a.user_id = w.assigned_to AND a.status = 'active')))
   WHERE w.state <> 'closed' AND d.days <= 7
  ON CONFLICT ON CONSTRAINT team_reminders_once_key DO NOTHING;
  FOR late IN
    UPDATE rights_request_workflows w SET escalated_at = now()
     WHERE w.state <> 'closed' AND w.due_at < now() AND w.escalated_at IS NULL
    RETURNING w.data_subject_rights_request_id AS id
  LOOP
    PERFORM tell_about_rights_request(r, 'overdue') FROM data_subject_rights_requests r WHERE r.id = late.id;
  END LOOP;
  DELETE FROM outgoing_mails m WHERE m.sent_at < now() - interval '30 days';
  DELETE FROM rights_request_contact_codes c WHERE c.created_at < now() - interval '1 day';
END $$;
COMMENT ON FUNCTION remind_of_rights_requests(json) IS
  'Reminds who answers a request a week before the deadline and on its day; tells the Administrators and the person when it is over.';

COMMIT;
