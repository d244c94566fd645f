-- The queue of events: changes of rows, events that SQL enqueues, and schedules. Gateways deliver them to webhooks and
-- SQL functions. An event is written in the transaction that causes it, so what is rolled back causes none.

CREATE TABLE postern.event_queue (
  id                uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  sequence          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
  trigger_name      text        NOT NULL,
  kind              text        NOT NULL CONSTRAINT event_queue_kind CHECK (kind IN ('table', 'manual', 'schedule', 'webhook')),
  state             text        NOT NULL DEFAULT 'pending'
                                CONSTRAINT event_queue_state CHECK (state IN ('pending', 'delivered', 'dead')),
  ordering_key      text,
  deduplication_key text,
  payload           json        NOT NULL,
  session_variables json,
  trace_context     json,
  attempts          int         NOT NULL DEFAULT 0,
  created_at        timestamptz NOT NULL DEFAULT now(),
  due_at            timestamptz NOT NULL DEFAULT now(),
  lease             uuid,
  finished_at       timestamptz
);
COMMENT ON TABLE postern.event_queue IS 'Events that are delivered at least once, in order for each trigger and ordering key.';
COMMENT ON COLUMN postern.event_queue.sequence IS 'The order of events with the same trigger and ordering key.';
COMMENT ON COLUMN postern.event_queue.ordering_key IS 'Events of a trigger with the same key are delivered one after the other; null: in any order.';
COMMENT ON COLUMN postern.event_queue.deduplication_key IS 'At most one event of a trigger has it; null: any number.';
COMMENT ON COLUMN postern.event_queue.due_at IS
  'When the event may be claimed; while it has a lease, the end of the lease; infinity while an older event of its key is pending.';
COMMENT ON COLUMN postern.event_queue.lease IS 'The worker that is delivering the event.';

-- Claims read only this index: the due events of a trigger, whatever else the table contains.
CREATE INDEX event_queue_due ON postern.event_queue (trigger_name, due_at) WHERE state = 'pending';
CREATE INDEX event_queue_order ON postern.event_queue (trigger_name, ordering_key, sequence)
  WHERE state = 'pending' AND ordering_key IS NOT NULL;
CREATE UNIQUE INDEX event_queue_deduplication ON postern.event_queue (trigger_name, deduplication_key)
  WHERE deduplication_key IS NOT NULL;
CREATE INDEX event_queue_delivered ON postern.event_queue (finished_at) WHERE state = 'delivered';
CREATE INDEX event_queue_dead ON postern.event_queue (trigger_name, finished_at) WHERE state = 'dead';

CREATE TABLE postern.event_invocation (
  id           bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  event_id     uuid        NOT NULL,
  trigger_name text        NOT NULL,
  attempt      int         NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  milliseconds int         NOT NULL,
  outcome      text        NOT NULL CONSTRAINT event_invocation_outcome CHECK (outcome IN ('delivered', 'retry', 'dead')),
  status       int,
  error        text,
  response     text
);
CREATE INDEX event_invocation_event ON postern.event_invocation (event_id);
CREATE INDEX event_invocation_at ON postern.event_invocation (at);
COMMENT ON TABLE postern.event_invocation IS 'The attempts to deliver events.';

CREATE TABLE postern.schedule (
  name       text        PRIMARY KEY,
  definition text        NOT NULL,
  last_at    timestamptz NOT NULL
);
COMMENT ON TABLE postern.schedule IS 'The cron schedules, and up to which time their events are in the queue.';
COMMENT ON COLUMN postern.schedule.definition IS 'The cron expression and its time zone.';

CREATE FUNCTION postern.notify_event() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.pg_notify('postern_event', '');
  RETURN NULL;
END $$;
CREATE TRIGGER notify_event AFTER INSERT ON postern.event_queue
  FOR EACH STATEMENT EXECUTE FUNCTION postern.notify_event();

CREATE FUNCTION postern.enqueue_event(
  trigger_name text,
  payload json,
  kind text DEFAULT 'manual',
  ordering_key text DEFAULT NULL,
  due_at timestamptz DEFAULT now(),
  deduplication_key text DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  event_id uuid;
BEGIN
  INSERT INTO postern.event_queue AS q
    (trigger_name, payload, kind, ordering_key, due_at, deduplication_key, session_variables, trace_context)
  VALUES (
    enqueue_event.trigger_name, enqueue_event.payload, enqueue_event.kind, enqueue_event.ordering_key,
    enqueue_event.due_at, enqueue_event.deduplication_key,
    nullif(current_setting('postern.session', true), '')::json,
    nullif(current_setting('postern.trace_context', true), '')::json
  )
  ON CONFLICT (trigger_name, deduplication_key) WHERE deduplication_key IS NOT NULL DO NOTHING
  RETURNING q.id INTO event_id;
  IF event_id IS NULL THEN
    SELECT q.id INTO event_id FROM postern.event_queue q
    WHERE q.trigger_name = enqueue_event.trigger_name AND q.deduplication_key = enqueue_event.deduplication_key;
  END IF;
  RETURN event_id;
END $$;
COMMENT ON FUNCTION postern.enqueue_event IS
  'Adds an event and returns its id; with a deduplication key that the trigger has had already, the id of that event.';

CREATE FUNCTION postern.schedule_event(
  trigger_name text,
  due_at timestamptz,
  payload json DEFAULT 'null',
  deduplication_key text DEFAULT NULL
) RETURNS uuid LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT postern.enqueue_event(
    schedule_event.trigger_name,
    json_build_object(
      'scheduled_time', to_char(schedule_event.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      'payload', schedule_event.payload
    ),
    'schedule', NULL, schedule_event.due_at, schedule_event.deduplication_key)
$$;
COMMENT ON FUNCTION postern.schedule_event IS 'Adds an event that is delivered once, at a given time.';

REVOKE ALL ON FUNCTION postern.notify_event, postern.enqueue_event, postern.schedule_event FROM PUBLIC;
