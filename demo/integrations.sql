-- Integrations of the privacy service: eight kinds of services report by webhook what they do with a person's data, and
-- each report becomes a processing activity. The gateway has verified and stored a delivery before its function here is
-- called (settings: webhooks.toml). The file runs at each start, after the gateway's own migrations.

BEGIN;

CREATE SCHEMA IF NOT EXISTS integrations;
COMMENT ON SCHEMA integrations IS 'What connects the service with others that report by webhook.';

CREATE TABLE IF NOT EXISTS integrations.connections (
  service            text PRIMARY KEY,
  data_controller_id uuid NOT NULL REFERENCES data_controllers ON DELETE CASCADE
);
COMMENT ON TABLE integrations.connections IS 'The data controller of a service that signs with one secret and names no controller.';
COMMENT ON COLUMN integrations.connections.service IS 'The name of the service in the settings.';
COMMENT ON COLUMN integrations.connections.data_controller_id IS 'The controller for which it processes data.';

INSERT INTO integrations.connections (service, data_controller_id)
SELECT s.service, '22b15ffe-a936-420d-b21b-297d1782b9f2'
  FROM unnest(ARRAY['ecommerce', 'payments', 'email-marketing', 'accounting', 'survey']) s (service)
    ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS integrations.keys (
  did    text  NOT NULL REFERENCES data_controllers (did) ON DELETE CASCADE ON UPDATE CASCADE,
  digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32)
);
COMMENT ON TABLE integrations.keys IS 'The keys with which the CRM of a controller reports.';
COMMENT ON COLUMN integrations.keys.did IS 'The controller''s decentralized identifier.';
COMMENT ON COLUMN integrations.keys.digest IS 'The SHA-256 digest of the key.';

INSERT INTO data_processing_activity_sources (code, labels)
VALUES ('event_tool', '{"en": "Event tool", "de": "Veranstaltungssystem", "nl": "Evenementensysteem"}')
    ON CONFLICT DO NOTHING;

-- Who is responsible for a delivery: the controller that its token or its key names, or that of the service.
CREATE OR REPLACE FUNCTION integrations.controller_of(delivery postern.webhook_delivery) RETURNS uuid
LANGUAGE plpgsql STABLE AS $$
DECLARE
  found_id uuid;
BEGIN
  SELECT c.id INTO found_id FROM data_controllers c
   WHERE CASE
     WHEN delivery.sender ? 'controller' THEN c.id::text = delivery.sender ->> 'controller'
     WHEN delivery.sender ? 'did' THEN c.did = delivery.sender ->> 'did'
     ELSE c.id = (SELECT s.data_controller_id FROM integrations.connections s WHERE s.service = delivery.service) END;
  IF found_id IS NULL THEN
    RAISE EXCEPTION 'no data controller for a webhook of %', delivery.service;
  END IF;
  RETURN found_id;
END $$;
COMMENT ON FUNCTION integrations.controller_of IS 'The data controller that is responsible for a delivery.';

-- The person whom a report names by identifier or e-mail address, among the people of one controller. The address is the
-- first of the fields that the service's own reports have it in; any other address in a report is somebody else's, or text.
-- A person whom the controller has not met before is added: from now on it processes that person's data.
DROP FUNCTION IF EXISTS integrations.subject_of(uuid, jsonb), integrations.record_activity(postern.webhook_delivery, text, text, text[]);
CREATE OR REPLACE FUNCTION integrations.subject_of(controller uuid, body jsonb, paths text[]) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  named text := coalesce(body ->> 'dataSubjectId', body ->> 'data_subject_id', body #>> '{data,dataSubjectId}');
  address text := (
    SELECT body #>> string_to_array(p.path, '.') FROM unnest(paths) WITH ORDINALITY AS p (path, place)
     WHERE jsonb_typeof(body #> string_to_array(p.path, '.')) = 'string' AND body #>> string_to_array(p.path, '.') ~ '^[^@[:space:]]+@[^@[:space:]]+$'
     ORDER BY p.place LIMIT 1);
  found_id uuid;
BEGIN
  SELECT s.id INTO found_id FROM data_subjects s
   WHERE s.data_controller_id = controller AND (s.id::text = named OR s.did = body ->> 'did');
  IF found_id IS NULL AND address IS NOT NULL AND named IS NULL THEN
    -- Of parallel reports about a new person one adds the person.
    PERFORM pg_advisory_xact_lock(hashtextextended(controller || lower(address), 0));
    SELECT s.id INTO found_id FROM data_subjects s
     WHERE s.data_controller_id = controller AND lower(s.email) = lower(address) ORDER BY s.created_at, s.id LIMIT 1;
    IF found_id IS NULL THEN
      INSERT INTO data_subjects (data_controller_id, email) VALUES (controller, lower(address)) RETURNING id INTO found_id;
    END IF;
  END IF;
  IF found_id IS NULL THEN
    RAISE EXCEPTION 'the report names no person of the controller';
  END IF;
  RETURN found_id;
END $$;
COMMENT ON FUNCTION integrations.subject_of IS 'The data subject whom a report names.';

-- Records what a service has done with a person's data.
CREATE OR REPLACE FUNCTION integrations.record_activity(
  delivery postern.webhook_delivery, type text, source text, fields text[], VARIADIC paths text[]
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO data_processing_activities (data_subject_id, type_id, source_id, triggered_at, field_ids)
  SELECT integrations.subject_of(integrations.controller_of(delivery), postern.webhook_json(delivery), record_activity.paths), t.id, s.id, delivery.received_at,
         ARRAY(SELECT f.id FROM data_processing_activity_fields f WHERE f.code = ANY (record_activity.fields) ORDER BY f.code)
    FROM data_processing_activity_types t, data_processing_activity_sources s
   WHERE t.code = record_activity.type AND s.code = record_activity.source
$$;
COMMENT ON FUNCTION integrations.record_activity IS 'Records a processing activity for the person whom a delivery names.';

-- The functions that webhooks.toml names, one for each service.

CREATE OR REPLACE FUNCTION integrations.on_ecommerce(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.record_activity(delivery, 'order_placed', 'web_shop', '{first_name,last_name,email,postal_address,order_number,order_total}',
    'email', 'customer.email')
$$;
COMMENT ON FUNCTION integrations.on_ecommerce IS 'An order in the web shop: {"id": 1, "email": "…", "total_price": "…"}.';

CREATE OR REPLACE FUNCTION integrations.on_payments(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.record_activity(delivery, 'payment_received', 'payment_provider', '{customer_number,order_total,iban,payment_method}',
    'data.object.receipt_email', 'data.object.customer_email', 'data.object.customer_details.email')
$$;
COMMENT ON FUNCTION integrations.on_payments IS
  'A payment: {"id": "evt_…", "type": "payment_intent.succeeded", "data": {"object": {"receipt_email": "…"}}}.';

CREATE OR REPLACE FUNCTION integrations.on_email_marketing(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.record_activity(
    delivery,
    CASE postern.webhook_json(delivery) ->> 'type'
      WHEN 'email.opened' THEN 'newsletter_opened'
      WHEN 'contact.unsubscribed' THEN 'consent_withdrawn'
      ELSE 'newsletter_sent' END,
    'email_marketing', '{email,newsletter,interests}', 'data.email')
$$;
COMMENT ON FUNCTION integrations.on_email_marketing IS
  'An issue of the newsletter that was sent or opened, or a cancellation: {"type": "email.opened", "data": {"email": "…"}}.';

CREATE OR REPLACE FUNCTION integrations.on_accounting(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.record_activity(delivery, 'invoice_sent', 'accounting', '{first_name,last_name,postal_address,customer_number,order_total}',
    'invoice.customer.email')
$$;
COMMENT ON FUNCTION integrations.on_accounting IS 'An invoice: {"event": "invoice.sent", "invoice": {"customer": {"email": "…"}}}.';

CREATE OR REPLACE FUNCTION integrations.on_crm(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.record_activity(
    delivery,
    CASE WHEN postern.webhook_json(delivery) ->> 'event' LIKE 'ticket.%' THEN 'support_request' ELSE 'profile_changed' END,
    'crm', '{first_name,last_name,email,phone,language}', 'contact.email')
$$;
COMMENT ON FUNCTION integrations.on_crm IS 'A change of contact data, or a request: {"event": "contact.updated", "contact": {"email": "…"}}.';

CREATE OR REPLACE FUNCTION integrations.on_survey(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.record_activity(delivery, 'survey_answered', 'survey_tool', '{email,language,message}', 'form_response.hidden.email')
$$;
COMMENT ON FUNCTION integrations.on_survey IS 'An answer to a survey: {"event_id": "…", "form_response": {"hidden": {"email": "…"}}}.';

CREATE OR REPLACE FUNCTION integrations.on_events(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.record_activity(delivery, 'order_placed', 'event_tool', '{first_name,last_name,email,order_number}', 'attendee.email')
$$;
COMMENT ON FUNCTION integrations.on_events IS 'A ticket to an event: {"action": "order.placed", "attendee": {"email": "…"}}.';

CREATE OR REPLACE FUNCTION integrations.on_hotel(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.record_activity(delivery, 'order_placed', 'reservation_system', '{first_name,last_name,email,phone,order_number,allergies}', 'guest.email')
$$;
COMMENT ON FUNCTION integrations.on_hotel IS 'A reservation: {"event": "reservation.created", "guest": {"email": "…"}}.';

COMMIT;
