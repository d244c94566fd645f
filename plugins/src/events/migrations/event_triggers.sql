-- The triggers that the settings of gateways name, so that the queue takes no events of others. Gateways and `postern migrate`
-- write the names; until one has written any, every name is taken.

CREATE TABLE postern.event_trigger (
  name      text        PRIMARY KEY,
  is_manual boolean     NOT NULL,
  seen_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE postern.event_trigger IS 'The event triggers and schedules in the settings of gateways.';
COMMENT ON COLUMN postern.event_trigger.is_manual IS 'Whether postern.enqueue_event adds events of it.';
COMMENT ON COLUMN postern.event_trigger.seen_at IS 'When a gateway or `postern migrate` last had it in its settings.';

-- A gateway that runs renews its names each minute. The names are compared with the newest one, and not with the clock: events
-- are taken while no gateway runs.
CREATE VIEW postern.event_trigger_current AS
  SELECT t.name, t.is_manual FROM postern.event_trigger t
  WHERE t.seen_at > (SELECT max(n.seen_at) FROM postern.event_trigger n) - interval '10 minutes';
COMMENT ON VIEW postern.event_trigger_current IS 'The triggers that are still in the settings.';

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
  is_manual boolean;
BEGIN
  IF enqueue_event.kind NOT IN ('table', 'manual', 'schedule', 'webhook') THEN
    RAISE EXCEPTION 'events of the kind % do not exist', enqueue_event.kind USING ERRCODE = 'check_violation';
  END IF;
  IF starts_with(enqueue_event.deduplication_key, 'postern:') THEN
    RAISE EXCEPTION 'keys that begin with "postern:" belong to the runs of schedules' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- The caller may be allowed to call this function alone. Changes of rows and inbound webhooks are written by those who may
  -- write to the tables of both.
  IF enqueue_event.kind IN ('table', 'webhook') THEN
    IF NOT has_table_privilege(session_user, CASE enqueue_event.kind
        WHEN 'table' THEN 'postern.event_queue' ELSE 'postern.webhook_delivery' END, 'INSERT') THEN
      RAISE EXCEPTION 'permission denied for events of the kind %', enqueue_event.kind USING ERRCODE = 'insufficient_privilege';
    END IF;
  ELSE
    SELECT t.is_manual INTO is_manual FROM postern.event_trigger_current t WHERE t.name = enqueue_event.trigger_name;
    IF is_manual IS NULL AND EXISTS (SELECT FROM postern.event_trigger) THEN
      RAISE EXCEPTION 'the trigger "%" does not exist', enqueue_event.trigger_name
        USING ERRCODE = 'undefined_object', HINT = 'The settings of the gateway name the triggers; a start, a reload and `postern migrate --config …` make them known.';
    ELSIF NOT is_manual AND enqueue_event.kind = 'manual' THEN
      RAISE EXCEPTION 'the trigger "%" is not manual', enqueue_event.trigger_name
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = '`manual = true` lets SQL enqueue its events.';
    END IF;
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
