-- Inbound webhooks: what other services have sent, byte by byte, and the function through which the queue processes it.

CREATE TABLE postern.webhook_delivery (
  id           uuid        PRIMARY KEY,
  service      text        NOT NULL,
  delivery_id  text        NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT now(),
  processed_at timestamptz,
  verification text        NOT NULL,
  content_type text,
  headers      jsonb       NOT NULL DEFAULT '{}',
  sender       jsonb       NOT NULL DEFAULT '{}',
  address      text,
  request_id   text,
  body         bytea       NOT NULL,
  CONSTRAINT webhook_delivery_once UNIQUE (service, delivery_id)
);
CREATE INDEX webhook_delivery_received_at ON postern.webhook_delivery (received_at);
COMMENT ON TABLE postern.webhook_delivery IS 'The webhooks that other services have sent and that were verified.';
COMMENT ON COLUMN postern.webhook_delivery.service IS 'The name of the service in the settings.';
COMMENT ON COLUMN postern.webhook_delivery.delivery_id IS 'The sender''s id of the delivery, or a digest of the body; a service has each once.';
COMMENT ON COLUMN postern.webhook_delivery.processed_at IS 'When the function of the service has processed it; null: not yet, or the service has none.';
COMMENT ON COLUMN postern.webhook_delivery.verification IS 'The methods by which the sender was verified, joined by `+`.';
COMMENT ON COLUMN postern.webhook_delivery.headers IS 'The headers that the settings list, and Content-Encoding.';
COMMENT ON COLUMN postern.webhook_delivery.sender IS 'What is known of the sender: the claims of its token, or its DID.';
COMMENT ON COLUMN postern.webhook_delivery.body IS 'The raw bytes, as they were received.';

CREATE FUNCTION postern.webhook_json(delivery postern.webhook_delivery) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
  SELECT convert_from((delivery).body, 'UTF8')::jsonb
$$;
COMMENT ON FUNCTION postern.webhook_json IS 'The body of a delivery as JSON; an error if it is none.';

-- The function runs with the caller's search path, as it would if it were called by itself. What it writes and the time of
-- processing are one transaction, so a delivery that the queue delivers twice is processed once.
CREATE FUNCTION postern.process_webhook(event json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  -- The event as the queue delivers it, or its payload alone.
  payload CONSTANT json := coalesce(event #> '{event,data,new}', event);
  delivery postern.webhook_delivery;
  handler text;
BEGIN
  SELECT d.* INTO delivery FROM postern.webhook_delivery d WHERE d.id = (payload ->> 'delivery')::uuid FOR UPDATE;
  IF delivery.id IS NULL OR delivery.processed_at IS NOT NULL THEN
    RETURN;
  END IF;
  SELECT format('%I.%I', n.nspname, p.proname) INTO handler
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE p.oid = to_regprocedure((payload ->> 'function') || '(postern.webhook_delivery)');
  IF handler IS NULL THEN
    RAISE EXCEPTION 'function %(postern.webhook_delivery) does not exist', payload ->> 'function' USING ERRCODE = 'undefined_function';
  END IF;
  EXECUTE format('SELECT %s($1)', handler) USING delivery;
  UPDATE postern.webhook_delivery d SET processed_at = now() WHERE d.id = delivery.id;
END $$;
COMMENT ON FUNCTION postern.process_webhook IS
  'Processes the delivery of an event of the queue, by the function that the event names, unless it is processed already.';

REVOKE ALL ON FUNCTION postern.webhook_json, postern.process_webhook FROM PUBLIC;
