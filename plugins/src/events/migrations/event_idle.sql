-- A transaction that adds an event notifies only while a gateway is idle: NOTIFY takes a lock of the whole database until the
-- commit is durable. Gateways of earlier versions do not take the lock of idle gateways; they find events when they poll.

CREATE OR REPLACE FUNCTION postern.enqueue_event(
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
  IF enqueue_event.kind NOT IN ('table', 'manual', 'schedule', 'webhook') THEN
    RAISE EXCEPTION 'events of the kind % do not exist', enqueue_event.kind USING ERRCODE = 'check_violation';
  END IF;
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
  ELSE
    -- While no gateway is idle, none needs a notification: it gets the exclusive lock, under which it sleeps, only when this
    -- transaction has ended.
    IF NOT pg_try_advisory_xact_lock_shared(1886352244, 25974) THEN
      PERFORM pg_notify('postern_event', '');
    END IF;
  END IF;
  RETURN event_id;
END $$;
