-- The processing of rights requests. The event triggers `data_subject_rights_requests_insert` and
-- `data_subject_rights_requests_update` (gateway.toml) call the functions at the end; all that they write is visible through
-- GraphQL under the row rules of permissions.toml. Nothing is sent to other applications.

BEGIN;

CREATE TABLE rights_request_workflows (
  id                uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_rights_request_id uuid NOT NULL UNIQUE REFERENCES data_subject_rights_requests ON DELETE CASCADE,
  data_subject_id   uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  state             text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'in_progress', 'closed')),
  assigned_to       uuid        REFERENCES users ON DELETE SET NULL,
  due_at            timestamptz NOT NULL,
  extended_at       timestamptz,
  extension_reason  text        CHECK (extension_reason <> ''),
  started_at        timestamptz NOT NULL DEFAULT now(),
  closed_at         timestamptz
);
COMMENT ON TABLE rights_request_workflows IS 'The processing of a rights request: who answers it, and until when.';
COMMENT ON COLUMN rights_request_workflows.id IS 'The identifier.';
COMMENT ON COLUMN rights_request_workflows.data_subject_rights_request_id IS 'The request.';
COMMENT ON COLUMN rights_request_workflows.data_subject_id IS 'The person who asked.';
COMMENT ON COLUMN rights_request_workflows.state IS 'open, in_progress or closed.';
COMMENT ON COLUMN rights_request_workflows.assigned_to IS 'The member of the team who answers the request.';
COMMENT ON COLUMN rights_request_workflows.due_at IS 'When the answer is due: a month after the request, three months if extended (Article 12(3) GDPR).';
COMMENT ON COLUMN rights_request_workflows.extended_at IS 'When the deadline was extended by two months.';
COMMENT ON COLUMN rights_request_workflows.extension_reason IS 'Why the deadline was extended; setting it extends the deadline, once, before it is over.';
COMMENT ON COLUMN rights_request_workflows.started_at IS 'When the processing began.';
COMMENT ON COLUMN rights_request_workflows.closed_at IS 'When the request was completed, rejected or withdrawn.';
CREATE INDEX rights_request_workflows_subject_idx ON rights_request_workflows (data_subject_id);
CREATE INDEX rights_request_workflows_assigned_idx ON rights_request_workflows (assigned_to) WHERE state <> 'closed';
CREATE INDEX rights_request_workflows_due_idx ON rights_request_workflows (due_at);

CREATE TABLE rights_request_tasks (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  rights_request_workflow_id uuid NOT NULL REFERENCES rights_request_workflows ON DELETE CASCADE,
  data_subject_id uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  position        int         NOT NULL,
  title           text        NOT NULL CHECK (title <> ''),
  state           text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'skipped')),
  due_at          timestamptz NOT NULL,
  done_at         timestamptz,
  CONSTRAINT rights_request_tasks_position_key UNIQUE (rights_request_workflow_id, position)
);
COMMENT ON TABLE rights_request_tasks IS 'A step of the processing of a rights request.';
COMMENT ON COLUMN rights_request_tasks.id IS 'The identifier.';
COMMENT ON COLUMN rights_request_tasks.rights_request_workflow_id IS 'The processing that the step belongs to.';
COMMENT ON COLUMN rights_request_tasks.data_subject_id IS 'The person who asked.';
COMMENT ON COLUMN rights_request_tasks.position IS 'The order of the steps, from 1.';
COMMENT ON COLUMN rights_request_tasks.title IS 'What has to be done.';
COMMENT ON COLUMN rights_request_tasks.state IS 'open, done or skipped.';
COMMENT ON COLUMN rights_request_tasks.due_at IS 'When the step should be done.';
COMMENT ON COLUMN rights_request_tasks.done_at IS 'When the step was done or skipped.';
CREATE INDEX rights_request_tasks_subject_idx ON rights_request_tasks (data_subject_id);
CREATE INDEX rights_request_tasks_due_idx ON rights_request_tasks (due_at) WHERE state = 'open';

-- Who gives a reason for an extension extends the deadline, and the person is told why.
CREATE FUNCTION extend_rights_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.extended_at IS NOT NULL OR OLD.closed_at IS NOT NULL OR OLD.due_at < now() THEN
    RAISE EXCEPTION 'a deadline is extended once, while the request is open and not overdue' USING ERRCODE = 'check_violation';
  END IF;
  NEW.extended_at := now();
  NEW.due_at := OLD.due_at + interval '2 months';
  INSERT INTO notification_messages (data_subject_id, kind, title, body)
  VALUES (NEW.data_subject_id, 'rights_request', 'Your request takes longer',
    format('The answer to your request is now due on %s. Reason: %s', to_char(NEW.due_at, 'FMDD FMMonth YYYY'), NEW.extension_reason));
  RETURN NEW;
END $$;
COMMENT ON FUNCTION extend_rights_request() IS 'Extends the deadline of a rights request by two months (Article 12(3) GDPR).';
CREATE TRIGGER extend_rights_request BEFORE UPDATE ON rights_request_workflows FOR EACH ROW
  WHEN (NEW.extension_reason IS DISTINCT FROM OLD.extension_reason) EXECUTE FUNCTION extend_rights_request();

CREATE FUNCTION finish_rights_request_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.done_at := CASE WHEN NEW.state <> 'open' THEN now() END;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION finish_rights_request_task() IS 'Keeps the time at which a step was done.';
CREATE TRIGGER finish_rights_request_task BEFORE UPDATE ON rights_request_tasks FOR EACH ROW
  WHEN (NEW.state IS DISTINCT FROM OLD.state) EXECUTE FUNCTION finish_rights_request_task();

-- The target of the event trigger `data_subject_rights_requests_insert`: a workflow with its steps, assigned to the editor
-- of the controller who has the fewest open ones, and a message to the person.
CREATE FUNCTION start_rights_request(event json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  request data_subject_rights_requests;
  workflow rights_request_workflows;
BEGIN
  -- A request may have ended before its event is processed; one that ends meanwhile waits for this transaction.
  SELECT r.* INTO request FROM data_subject_rights_requests r
  WHERE r.id = (event #>> '{event,data,new,id}')::uuid FOR SHARE;
  IF NOT FOUND OR request.status IN ('completed', 'rejected', 'withdrawn') THEN
    RETURN;
  END IF;
  INSERT INTO rights_request_workflows (data_subject_rights_request_id, data_subject_id, assigned_to, due_at)
  SELECT request.id, request.data_subject_id, (
    SELECT m.user_id FROM data_subjects s
    JOIN data_controller_users m ON m.data_controller_id = s.data_controller_id
    WHERE s.id = request.data_subject_id AND m.status = 'active' AND m.role IN ('Editor', 'Administrator')
    ORDER BY (SELECT count(*) FROM rights_request_workflows w WHERE w.assigned_to = m.user_id AND w.state <> 'closed'), m.user_id
    LIMIT 1
  ), request.created_at + interval '1 month'
  ON CONFLICT (data_subject_rights_request_id) DO NOTHING
  RETURNING * INTO workflow;
  IF workflow.id IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO rights_request_tasks (rights_request_workflow_id, data_subject_id, position, title, due_at)
  SELECT workflow.id, request.data_subject_id, t.position, t.title,
         request.created_at + (workflow.due_at - request.created_at) * t.share
  FROM (VALUES
    (1, 'Verify the identity of the person', 0.25::float8),
    (2, CASE request.request_type
          WHEN 'access' THEN 'Collect the data about the person'
          WHEN 'portability' THEN 'Export the data in a machine-readable form'
          WHEN 'rectification' THEN 'Correct the data'
          WHEN 'restriction' THEN 'Restrict the processing'
          WHEN 'objection' THEN 'Stop the processing that the person objects to'
          ELSE 'Erase the data, unless the law requires it to be kept'
        END, 0.75),
    (3, 'Answer the person', 1)
  ) AS t (position, title, share);
  INSERT INTO notification_messages (data_subject_id, kind, title, body)
  VALUES (request.data_subject_id, 'rights_request', 'We have received your request',
    format('Your request is being processed. The answer is due on %s.', to_char(workflow.due_at, 'FMDD FMMonth YYYY')));
END $$;
COMMENT ON FUNCTION start_rights_request(json) IS 'Starts the processing of a rights request.';

-- The target of the event trigger `data_subject_rights_requests_update`.
CREATE FUNCTION follow_rights_request(event json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  request CONSTANT uuid := (event #>> '{event,data,new,id}')::uuid;
  -- Events of other triggers are in no order with this one, so the status is that of the row.
  status CONSTANT text := (SELECT r.status FROM data_subject_rights_requests r WHERE r.id = request);
  is_closed CONSTANT boolean := status IN ('completed', 'rejected', 'withdrawn');
  subject uuid;
BEGIN
  UPDATE rights_request_workflows w
  SET state = CASE WHEN is_closed THEN 'closed' WHEN status = 'in_progress' THEN 'in_progress' ELSE w.state END,
      closed_at = CASE WHEN is_closed THEN now() END
  WHERE w.data_subject_rights_request_id = request AND w.state <> 'closed'
  RETURNING w.data_subject_id INTO subject;
  IF subject IS NULL OR NOT is_closed THEN
    RETURN;
  END IF;
  UPDATE rights_request_tasks t SET state = CASE WHEN status = 'completed' THEN 'done' ELSE 'skipped' END
  FROM rights_request_workflows w
  WHERE w.data_subject_rights_request_id = request AND t.rights_request_workflow_id = w.id AND t.state = 'open';
  INSERT INTO notification_messages (data_subject_id, kind, title, body)
  VALUES (subject, 'rights_request', format('Your request is %s', status), 'The processing of your request has ended.');
END $$;
COMMENT ON FUNCTION follow_rights_request(json) IS 'Closes the processing of a rights request that has ended.';

COMMIT;
