-- Integrations of the privacy service: eight kinds of services report by webhook what they do with a person's data, and what
-- the person has told them: a cancellation withdraws the consent, and changed contact data is changed here. Each report becomes
-- a processing activity with the fields that it had. The gateway has verified and stored a delivery before its function here
-- is called (settings: webhooks.toml). The file runs at each start, after the gateway's own migrations.

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
  FROM unnest(ARRAY['ecommerce', 'payments', 'email-marketing', 'accounting']) s (service)
    ON CONFLICT DO NOTHING;

-- The services of the settings. Of one whose keys are here each controller has its own; the others have one secret in the settings.
CREATE TABLE IF NOT EXISTS integrations.services (
  service      text    PRIMARY KEY,
  labels       jsonb   NOT NULL CHECK (is_translated(labels)),
  verification text    NOT NULL,
  manages_keys boolean NOT NULL
);
COMMENT ON TABLE integrations.services IS 'A kind of service that reports by webhook.';
COMMENT ON COLUMN integrations.services.service IS 'The name of the service in the settings.';
COMMENT ON COLUMN integrations.services.labels IS 'What it is, by language: en, de and nl.';
COMMENT ON COLUMN integrations.services.verification IS 'How its reports are verified.';
COMMENT ON COLUMN integrations.services.manages_keys IS 'Whether a controller makes its own keys.';

INSERT INTO integrations.services (service, labels, verification, manages_keys) VALUES
  ('ecommerce', '{"en": "Web shop", "de": "Webshop", "nl": "Webwinkel"}', 'hmac', false),
  ('payments', '{"en": "Payments", "de": "Zahlungen", "nl": "Betalingen"}', 'stripe', false),
  ('email-marketing', '{"en": "Newsletter", "de": "Newsletter", "nl": "Nieuwsbrief"}', 'standard', false),
  ('accounting', '{"en": "Accounting", "de": "Buchhaltung", "nl": "Boekhouding"}', 'github', false),
  ('crm', '{"en": "Customer relations (CRM)", "de": "Kundenverwaltung (CRM)", "nl": "Klantbeheer (CRM)"}', 'legacy', true),
  ('survey', '{"en": "Surveys", "de": "Umfragen", "nl": "Enquêtes"}', 'hmac', true),
  ('events', '{"en": "Events", "de": "Veranstaltungen", "nl": "Evenementen"}', 'jwe', false),
  ('hotel', '{"en": "Reservations", "de": "Reservierungen", "nl": "Reserveringen"}', 'jwe', true)
ON CONFLICT (service) DO UPDATE SET labels = excluded.labels, verification = excluded.verification, manages_keys = excluded.manages_keys;

CREATE TABLE IF NOT EXISTS integrations.keys (
  did    text  NOT NULL REFERENCES data_controllers (did) ON DELETE CASCADE ON UPDATE CASCADE,
  digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32)
);
-- Columns of later versions; the table may be older.
ALTER TABLE integrations.keys
  ADD COLUMN IF NOT EXISTS id         uuid        NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN IF NOT EXISTS service    text        NOT NULL DEFAULT 'crm' REFERENCES integrations.services,
  ADD COLUMN IF NOT EXISTS name       text        CHECK (char_length(name) BETWEEN 1 AND 100),
  ADD COLUMN IF NOT EXISTS hint       text        CHECK (char_length(hint) <= 10),
  ADD COLUMN IF NOT EXISTS secret     text,
  ADD COLUMN IF NOT EXISTS created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN IF NOT EXISTS created_by uuid,
  ADD COLUMN IF NOT EXISTS revoked_at timestamptz,
  ADD COLUMN IF NOT EXISTS revoked_by uuid;
CREATE UNIQUE INDEX IF NOT EXISTS keys_id_key ON integrations.keys (id);
COMMENT ON TABLE integrations.keys IS 'The keys with which services of a controller report.';
COMMENT ON COLUMN integrations.keys.did IS 'The controller''s decentralized identifier.';
COMMENT ON COLUMN integrations.keys.digest IS 'The SHA-256 digest of the key.';
COMMENT ON COLUMN integrations.keys.id IS 'The identifier.';
COMMENT ON COLUMN integrations.keys.service IS 'The service.';
COMMENT ON COLUMN integrations.keys.name IS 'What the key is for; null for the key of the operator.';
COMMENT ON COLUMN integrations.keys.hint IS 'The last four characters of the key.';
COMMENT ON COLUMN integrations.keys.secret IS 'The key, where it signs or encrypts; null where its digest is enough.';
COMMENT ON COLUMN integrations.keys.created_at IS 'When it was made.';
COMMENT ON COLUMN integrations.keys.created_by IS 'The Administrator who made it; null for the operator.';
COMMENT ON COLUMN integrations.keys.revoked_at IS 'When it ended.';
COMMENT ON COLUMN integrations.keys.revoked_by IS 'The Administrator who ended it; null for the operator.';

-- The queries of webhooks.toml.
CREATE OR REPLACE FUNCTION integrations.key_digests(service text, did text) RETURNS SETOF bytea LANGUAGE sql STABLE AS $$
  SELECT k.digest FROM integrations.keys k WHERE k.service = key_digests.service AND k.did = key_digests.did AND k.revoked_at IS NULL
$$;
COMMENT ON FUNCTION integrations.key_digests IS 'The digests of the valid keys of a service and a controller.';

CREATE OR REPLACE FUNCTION integrations.secrets(service text, did text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT k.secret FROM integrations.keys k
   WHERE k.service = secrets.service AND k.did = secrets.did AND k.secret IS NOT NULL AND k.revoked_at IS NULL
$$;
COMMENT ON FUNCTION integrations.secrets IS 'The valid keys of a service and a controller that sign or encrypt.';

INSERT INTO data_processing_activity_sources (code, labels)
VALUES ('event_tool', '{"en": "Event tool", "de": "Veranstaltungssystem", "nl": "Evenementensysteem"}')
    ON CONFLICT DO NOTHING;

-- Who is responsible for a delivery: the controller that its token or its key names, or that of the service.
CREATE OR REPLACE FUNCTION integrations.find_controller(service text, sender jsonb) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT c.id FROM data_controllers c
   WHERE CASE
     WHEN sender ? 'controller' THEN c.id::text = sender ->> 'controller'
     WHEN sender ? 'did' THEN c.did = sender ->> 'did'
     ELSE c.id = (SELECT s.data_controller_id FROM integrations.connections s WHERE s.service = find_controller.service) END
$$;
COMMENT ON FUNCTION integrations.find_controller IS 'The data controller of a sender; null if there is none.';

CREATE OR REPLACE FUNCTION integrations.controller_of(delivery postern.webhook_delivery) RETURNS uuid
LANGUAGE plpgsql STABLE AS $$
DECLARE
  found_id CONSTANT uuid := integrations.find_controller(delivery.service, delivery.sender);
BEGIN
  IF found_id IS NULL THEN
    RAISE EXCEPTION 'no data controller for a webhook of %', delivery.service;
  END IF;
  RETURN found_id;
END $$;
COMMENT ON FUNCTION integrations.controller_of IS 'The data controller that is responsible for a delivery.';

-- A controller's lists and counts read its own rows, and none of the deliveries of others.
CREATE TABLE IF NOT EXISTS integrations.delivery_controllers (
  delivery_id        uuid        PRIMARY KEY REFERENCES postern.webhook_delivery ON DELETE CASCADE,
  data_controller_id uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  service            text        NOT NULL,
  verification       text        NOT NULL,
  received_at        timestamptz NOT NULL,
  processed_at       timestamptz
);
COMMENT ON TABLE integrations.delivery_controllers IS 'The controller of each delivery, written when the delivery arrives.';
COMMENT ON COLUMN integrations.delivery_controllers.delivery_id IS 'The delivery.';
COMMENT ON COLUMN integrations.delivery_controllers.data_controller_id IS 'The controller that it is for.';
COMMENT ON COLUMN integrations.delivery_controllers.service IS 'The service that sent it.';
COMMENT ON COLUMN integrations.delivery_controllers.verification IS 'How its sender was verified.';
COMMENT ON COLUMN integrations.delivery_controllers.received_at IS 'When it arrived.';
COMMENT ON COLUMN integrations.delivery_controllers.processed_at IS 'When it was processed.';
CREATE INDEX IF NOT EXISTS delivery_controllers_received_at_idx ON integrations.delivery_controllers (data_controller_id, received_at);
CREATE INDEX IF NOT EXISTS delivery_controllers_service_idx ON integrations.delivery_controllers (data_controller_id, service, received_at);
CREATE INDEX IF NOT EXISTS delivery_controllers_open_idx ON integrations.delivery_controllers (data_controller_id, service) WHERE processed_at IS NULL;

CREATE OR REPLACE FUNCTION integrations.record_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO integrations.delivery_controllers (delivery_id, data_controller_id, service, verification, received_at, processed_at)
    SELECT NEW.id, f.id, NEW.service, NEW.verification, NEW.received_at, NEW.processed_at
      FROM integrations.find_controller(NEW.service, NEW.sender) AS f (id) WHERE f.id IS NOT NULL;
  ELSE
    UPDATE integrations.delivery_controllers r SET processed_at = NEW.processed_at, received_at = NEW.received_at WHERE r.delivery_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION integrations.record_delivery IS 'Records the controller of a delivery, and that it is processed.';
CREATE OR REPLACE TRIGGER record_delivery AFTER INSERT OR UPDATE OF processed_at, received_at ON postern.webhook_delivery
  FOR EACH ROW EXECUTE FUNCTION integrations.record_delivery();

-- Deliveries of a version without the trigger.
INSERT INTO integrations.delivery_controllers (delivery_id, data_controller_id, service, verification, received_at, processed_at)
SELECT d.id, f.id, d.service, d.verification, d.received_at, d.processed_at
  FROM postern.webhook_delivery d CROSS JOIN LATERAL integrations.find_controller(d.service, d.sender) AS f (id)
 WHERE f.id IS NOT NULL AND NOT EXISTS (SELECT FROM integrations.delivery_controllers r WHERE r.delivery_id = d.id)
    ON CONFLICT DO NOTHING;

-- ---------------------------------------------------------------------------------------------------------
-- What a report says. Paths are those of jsonpath without `$.`, such as `data.to[0]`.
-- ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION integrations.text_at(body jsonb, VARIADIC paths text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT f.value #>> '{}'
    FROM unnest(paths) WITH ORDINALITY AS p (path, place)
    CROSS JOIN LATERAL (SELECT jsonb_path_query_first(body, ('$.' || p.path)::jsonpath)) AS f (value)
   WHERE jsonb_typeof(f.value) NOT IN ('null', 'object', 'array') AND btrim(f.value #>> '{}') <> ''
   ORDER BY p.place LIMIT 1
$$;
COMMENT ON FUNCTION integrations.text_at IS 'The first of the paths that has a text, a number or a boolean.';

CREATE OR REPLACE FUNCTION integrations.fields_in(body jsonb, VARIADIC fields text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(DISTINCT split_part(f.field, '=', 1))
    FROM unnest(fields) AS f (field)
   WHERE integrations.text_at(body, split_part(f.field, '=', 2)) IS NOT NULL
$$;
COMMENT ON FUNCTION integrations.fields_in IS 'The codes of the fields that a report has; each is given as `code=path`.';

-- Tools name the event differently: contact.unsubscribed, opt_out, recipient.opted-out.
CREATE OR REPLACE FUNCTION integrations.is_opt_out(event text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(event ~* '(unsubscribed?|opt(ed)?[._ -]?out)$', false)
$$;
COMMENT ON FUNCTION integrations.is_opt_out IS 'Whether an event says that a person does not want to be written to any more.';

CREATE OR REPLACE FUNCTION integrations.country_of(code text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT c.code FROM unnest(string_to_array(
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX '
    'CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR '
    'IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE '
    'NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF '
    'TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW', ' ')) AS c (code)
   WHERE c.code = upper(btrim(country_of.code))
$$;
COMMENT ON FUNCTION integrations.country_of IS 'A country''s code of ISO 3166-1 in capitals; null if there is no such country.';

-- ---------------------------------------------------------------------------------------------------------
-- Whom a report concerns, and what follows from it
-- ---------------------------------------------------------------------------------------------------------

-- The person whom a report names by identifier or e-mail address, among the people of one controller. The address is the
-- first of the fields that the service's own reports have it in; any other address in a report is somebody else's, or text.
-- A person whom the controller has not met before is added: from now on it processes that person's data.
DROP FUNCTION IF EXISTS integrations.subject_of(uuid, jsonb), integrations.subject_of(uuid, jsonb, text[]),
  integrations.record_activity(postern.webhook_delivery, text, text, text[]),
  integrations.record_activity(postern.webhook_delivery, text, text, text[], text[]);
CREATE OR REPLACE FUNCTION integrations.subject_of(delivery postern.webhook_delivery, VARIADIC paths text[]) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  controller CONSTANT uuid := integrations.controller_of(delivery);
  body CONSTANT jsonb := postern.webhook_json(delivery);
  named CONSTANT text := integrations.text_at(body, 'dataSubjectId', 'data_subject_id', 'data.dataSubjectId');
  address text;
  found_id uuid;
BEGIN
  SELECT t.found INTO address FROM unnest(paths) WITH ORDINALITY AS p (path, place)
    CROSS JOIN LATERAL (SELECT integrations.text_at(body, p.path)) AS t (found)
   WHERE t.found ~ '^[^@[:space:]]+@[^@[:space:]]+$' ORDER BY p.place LIMIT 1;
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

CREATE OR REPLACE FUNCTION integrations.record_activity(
  delivery postern.webhook_delivery, subject uuid, type text, source text, fields text[]
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO data_processing_activities (data_subject_id, type_id, source_id, triggered_at, field_ids)
  SELECT subject, t.id, s.id, delivery.received_at,
         ARRAY(SELECT f.id FROM data_processing_activity_fields f WHERE f.code = ANY (record_activity.fields) ORDER BY f.code)
    FROM data_processing_activity_types t, data_processing_activity_sources s
   WHERE t.code = record_activity.type AND s.code = record_activity.source
$$;
COMMENT ON FUNCTION integrations.record_activity IS 'Records what a service has done with a person''s data.';

-- Whether a controller's purpose is the newsletter or its surveys, its template says. A person who was never asked has said no as
-- well, and one who has agreed anew since the report came in has agreed. That a person agrees no tool can report: it does not know
-- which text of the controller was shown.
CREATE OR REPLACE FUNCTION integrations.withdraw_consent(
  delivery postern.webhook_delivery, subject uuid, activity text, source text, fields text[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO data_subject_consent_form_values AS v (data_subject_id, data_controller_processing_purpose_id, value, given_by, form)
  SELECT s.id, p.id, 'false', 'integration', 'webhook:' || delivery.service
    FROM data_subjects s
    JOIN data_controller_processing_purposes p ON p.data_controller_id = s.data_controller_id AND p.consent_required
   WHERE s.id = subject
     AND EXISTS (SELECT FROM data_controller_purpose_template_links l
                   JOIN data_processing_activity_types t ON t.purpose_business_template_id = l.purpose_business_template_id
                  WHERE l.data_controller_processing_purpose_id = p.id AND t.code = activity)
     AND (p.status = 'active' OR EXISTS (SELECT FROM data_subject_consent_form_values o
                                          WHERE o.data_subject_id = s.id AND o.data_controller_processing_purpose_id = p.id))
  ON CONFLICT (data_subject_id, data_controller_processing_purpose_id) DO UPDATE
    SET value = excluded.value, given_by = excluded.given_by, given_by_user_id = NULL, form = excluded.form
    WHERE v.updated_at <= delivery.received_at;
  PERFORM integrations.record_activity(delivery, subject, 'consent_withdrawn', source, fields);
END $$;
COMMENT ON FUNCTION integrations.withdraw_consent IS
  'Withdraws a person''s consent to the purposes that a kind of activity serves: newsletter_sent, survey_answered.';

-- A report without a name, or with a country that does not exist, leaves what is known. The e-mail address is what people are found
-- by: it changes only if the report names the person by identifier, and if nobody else of the controller has it.
CREATE OR REPLACE FUNCTION integrations.change_contact(
  delivery postern.webhook_delivery, subject uuid, name text, country text, language text, email text, source text, fields text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  spoken CONSTANT text := lower(left(change_contact.language, 2));
BEGIN
  UPDATE data_subjects s
     SET display_name = coalesce(left(nullif(btrim(name), ''), 200), s.display_name),
         country = coalesce(integrations.country_of(change_contact.country), s.country),
         language = CASE WHEN spoken IN ('en', 'de', 'nl') THEN spoken ELSE s.language END,
         email = CASE WHEN change_contact.email ~ '^[^@[:space:]]+@[^@[:space:]]+$' AND NOT EXISTS (
                        SELECT FROM data_subjects o
                         WHERE o.data_controller_id = s.data_controller_id AND o.id <> s.id AND lower(o.email) = lower(change_contact.email))
                      THEN lower(change_contact.email) ELSE s.email END
   -- Who was erased on request stays erased.
   WHERE s.id = subject AND NOT EXISTS (SELECT FROM data_subject_rights_requests r WHERE r.data_subject_id = s.id AND r.erased_at IS NOT NULL);
  PERFORM integrations.record_activity(delivery, subject, 'profile_changed', source, fields);
END $$;
COMMENT ON FUNCTION integrations.change_contact IS 'Changes a person''s name, country, language and e-mail address as a service reports them.';

-- ---------------------------------------------------------------------------------------------------------
-- The functions that webhooks.toml names, one for each service. An event that they do not know changes nothing.
-- ---------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION integrations.on_ecommerce(delivery postern.webhook_delivery) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := postern.webhook_json(delivery);
  topic CONSTANT text := coalesce(delivery.headers ->> 'x-shopify-topic', 'orders/create');
  fields CONSTANT text[] := integrations.fields_in(body, 'email=email', 'email=customer.email', 'first_name=first_name', 'last_name=last_name',
    'first_name=customer.first_name', 'last_name=customer.last_name', 'first_name=shipping_address.first_name',
    'last_name=shipping_address.last_name', 'phone=phone', 'phone=customer.phone', 'postal_address=shipping_address.address1',
    'postal_address=billing_address.address1', 'postal_address=default_address.address1', 'customer_number=customer.id', 'language=customer_locale', 'language=locale',
    'payment_method=payment_gateway_names[0]', 'ip_address=browser_ip', 'message=note', 'newsletter=email_marketing_consent.state');
  subject uuid;
BEGIN
  IF topic NOT IN ('orders/create', 'orders/paid', 'customers/create', 'customers/update', 'customers/data_request', 'customers/redact') THEN
    RETURN;
  END IF;
  subject := integrations.subject_of(delivery, 'email', 'customer.email');
  IF topic LIKE 'orders/%' THEN
    PERFORM integrations.record_activity(delivery, subject, CASE topic WHEN 'orders/paid' THEN 'payment_received' ELSE 'order_placed' END, 'web_shop',
      fields || integrations.fields_in(body, 'order_number=id', 'order_number=order_number', 'order_number=name', 'order_total=total_price'));
  ELSIF topic IN ('customers/create', 'customers/update') THEN
    PERFORM integrations.change_contact(delivery, subject, concat_ws(' ', body ->> 'first_name', body ->> 'last_name'),
      integrations.text_at(body, 'default_address.country_code'), integrations.text_at(body, 'locale'), NULL, 'web_shop', fields || integrations.fields_in(body, 'customer_number=id'));
    IF body #>> '{email_marketing_consent,state}' = 'unsubscribed' THEN
      PERFORM integrations.withdraw_consent(delivery, subject, 'newsletter_sent', 'web_shop', '{email,newsletter}');
    END IF;
  ELSE
    -- The shop asks for what its customer has asked it for.
    INSERT INTO data_subject_rights_requests (data_subject_id, request_type)
    SELECT subject, t.request_type FROM (VALUES (CASE topic WHEN 'customers/redact' THEN 'erasure' ELSE 'access' END)) AS t (request_type)
     WHERE NOT EXISTS (SELECT FROM data_subject_rights_requests r
                        WHERE r.data_subject_id = subject AND r.request_type = t.request_type AND r.status NOT IN ('completed', 'rejected', 'withdrawn'));
  END IF;
END $$;
COMMENT ON FUNCTION integrations.on_ecommerce IS
  'An order in the web shop, a customer''s data or request, by X-Shopify-Topic: {"id": 1, "email": "…", "total_price": "…"}.';

CREATE OR REPLACE FUNCTION integrations.on_payments(delivery postern.webhook_delivery) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := postern.webhook_json(delivery);
  event CONSTANT text := coalesce(body ->> 'type', 'payment_intent.succeeded');
  fields CONSTANT text[] := integrations.fields_in(body, 'email=data.object.receipt_email', 'email=data.object.customer_email',
    'email=data.object.customer_details.email', 'email=data.object.billing_details.email', 'email=data.object.email',
    'first_name=data.object.billing_details.name', 'last_name=data.object.billing_details.name', 'first_name=data.object.name', 'last_name=data.object.name',
    'phone=data.object.billing_details.phone', 'phone=data.object.phone', 'postal_address=data.object.billing_details.address.line1',
    'postal_address=data.object.address.line1', 'postal_address=data.object.shipping.address.line1', 'customer_number=data.object.customer',
    'language=data.object.preferred_locales[0]');
  subject uuid;
BEGIN
  IF event NOT IN ('payment_intent.succeeded', 'charge.succeeded', 'checkout.session.completed', 'invoice.paid', 'customer.updated') THEN
    RETURN;
  END IF;
  subject := integrations.subject_of(delivery, 'data.object.receipt_email', 'data.object.customer_email', 'data.object.customer_details.email',
    'data.object.billing_details.email', 'data.object.email');
  IF event = 'customer.updated' THEN
    PERFORM integrations.change_contact(delivery, subject, integrations.text_at(body, 'data.object.name'),
      integrations.text_at(body, 'data.object.address.country'), integrations.text_at(body, 'data.object.preferred_locales[0]'), NULL,
      'payment_provider', fields || integrations.fields_in(body, 'customer_number=data.object.id'));
  ELSE
    PERFORM integrations.record_activity(delivery, subject, 'payment_received', 'payment_provider', fields || integrations.fields_in(body,
      'order_total=data.object.amount_received', 'order_total=data.object.amount', 'order_total=data.object.amount_total', 'order_total=data.object.amount_paid',
      'order_number=data.object.metadata.order_id', 'payment_method=data.object.payment_method', 'payment_method=data.object.payment_method_types[0]',
      'payment_method=data.object.payment_method_details.type', 'iban=data.object.iban'));
  END IF;
END $$;
COMMENT ON FUNCTION integrations.on_payments IS
  'A payment, or a customer''s data: {"id": "evt_…", "type": "payment_intent.succeeded", "data": {"object": {"receipt_email": "…"}}}.';

-- A mail that is reported as spam is not wanted. One that could not be delivered says nothing about what the person wants.
CREATE OR REPLACE FUNCTION integrations.on_email_marketing(delivery postern.webhook_delivery) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := postern.webhook_json(delivery);
  event CONSTANT text := body ->> 'type';
  activity CONSTANT text := CASE WHEN event IN ('email.sent', 'email.delivered') THEN 'newsletter_sent'
    WHEN event IN ('email.opened', 'email.clicked') THEN 'newsletter_opened' END;
  is_cancelled CONSTANT boolean := integrations.is_opt_out(event) OR event = 'email.complained'
    OR event LIKE 'contact.%' AND integrations.text_at(body, 'data.unsubscribed') = 'true';
  fields CONSTANT text[] := integrations.fields_in(body, 'email=data.email', 'email=data.to[0]', 'first_name=data.first_name',
    'last_name=data.last_name', 'newsletter=data.unsubscribed', 'interests=data.topics[0]', 'interests=data.interests[0]',
    'ip_address=data.click.ipAddress', 'device=data.click.userAgent', 'page=data.click.link');
BEGIN
  IF is_cancelled THEN
    PERFORM integrations.withdraw_consent(delivery, integrations.subject_of(delivery, 'data.email', 'data.to[0]'),
      'newsletter_sent', 'email_marketing', fields || '{newsletter}');
  ELSIF activity IS NOT NULL THEN
    PERFORM integrations.record_activity(delivery, integrations.subject_of(delivery, 'data.email', 'data.to[0]'), activity, 'email_marketing', fields);
  END IF;
END $$;
COMMENT ON FUNCTION integrations.on_email_marketing IS
  'An issue of the newsletter that was sent or opened, or a cancellation: {"type": "contact.unsubscribed", "data": {"email": "…"}}.';

CREATE OR REPLACE FUNCTION integrations.on_accounting(delivery postern.webhook_delivery) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := postern.webhook_json(delivery);
  activity CONSTANT text := CASE coalesce(body ->> 'event', 'invoice.sent') WHEN 'invoice.sent' THEN 'invoice_sent' WHEN 'invoice.paid' THEN 'payment_received' END;
BEGIN
  IF activity IS NOT NULL THEN
    PERFORM integrations.record_activity(delivery, integrations.subject_of(delivery, 'invoice.customer.email'), activity, 'accounting', integrations.fields_in(body,
      'email=invoice.customer.email', 'first_name=invoice.customer.first_name', 'last_name=invoice.customer.last_name', 'first_name=invoice.customer.name',
      'last_name=invoice.customer.name', 'postal_address=invoice.customer.address', 'postal_address=invoice.customer.address.street',
      'customer_number=invoice.customer.number', 'customer_number=invoice.customer.id', 'order_number=invoice.order_number',
      'order_total=invoice.total', 'iban=invoice.iban', 'payment_method=invoice.payment_method'));
  END IF;
END $$;
COMMENT ON FUNCTION integrations.on_accounting IS 'An invoice that was sent or paid: {"event": "invoice.sent", "invoice": {"customer": {"email": "…"}}}.';

CREATE OR REPLACE FUNCTION integrations.on_crm(delivery postern.webhook_delivery) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := postern.webhook_json(delivery);
  event CONSTANT text := coalesce(body ->> 'event', 'contact.updated');
  is_opt_out CONSTANT boolean := integrations.is_opt_out(event) OR event LIKE 'contact.%' AND (
    'true' IN (integrations.text_at(body, 'contact.unsubscribed'), integrations.text_at(body, 'contact.email_opt_out'), integrations.text_at(body, 'contact.opt_out'))
    OR 'false' IN (integrations.text_at(body, 'contact.newsletter'), integrations.text_at(body, 'contact.marketing_consent')));
  fields CONSTANT text[] := integrations.fields_in(body, 'email=contact.email', 'first_name=contact.first_name', 'last_name=contact.last_name',
    'first_name=contact.name', 'last_name=contact.name', 'phone=contact.phone', 'postal_address=contact.address', 'postal_address=contact.address.street',
    'language=contact.language', 'customer_number=contact.customer_number', 'date_of_birth=contact.date_of_birth', 'interests=contact.interests[0]',
    'newsletter=contact.newsletter', 'message=ticket.message', 'message=ticket.subject');
  subject uuid;
BEGIN
  IF event NOT IN ('contact.created', 'contact.updated') AND event NOT LIKE 'ticket.%' AND NOT is_opt_out THEN
    RETURN;
  END IF;
  subject := integrations.subject_of(delivery, 'contact.email');
  IF event LIKE 'ticket.%' THEN
    PERFORM integrations.record_activity(delivery, subject, 'support_request', 'crm', fields);
  ELSIF event IN ('contact.created', 'contact.updated') THEN
    PERFORM integrations.change_contact(delivery, subject,
      coalesce(integrations.text_at(body, 'contact.name'), concat_ws(' ', body #>> '{contact,first_name}', body #>> '{contact,last_name}')),
      integrations.text_at(body, 'contact.country', 'contact.address.country'), integrations.text_at(body, 'contact.language'),
      CASE WHEN integrations.text_at(body, 'dataSubjectId', 'data_subject_id', 'did') IS NOT NULL THEN body #>> '{contact,email}' END, 'crm', fields);
  END IF;
  IF is_opt_out THEN
    PERFORM integrations.withdraw_consent(delivery, subject, 'newsletter_sent', 'crm', fields || '{newsletter}');
  END IF;
END $$;
COMMENT ON FUNCTION integrations.on_crm IS
  'A change of contact data, a request, or an opt-out: {"event": "contact.updated", "contact": {"email": "…", "name": "…", "country": "AT"}}.';

CREATE OR REPLACE FUNCTION integrations.on_survey(delivery postern.webhook_delivery) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := postern.webhook_json(delivery);
  event CONSTANT text := coalesce(body ->> 'event_type', 'form_response');
  is_opt_out CONSTANT boolean := integrations.is_opt_out(event) OR integrations.text_at(body, 'form_response.hidden.opt_out') = 'true';
  fields CONSTANT text[] := integrations.fields_in(body, 'email=form_response.hidden.email', 'email=form_response.answers[*].email',
    'language=form_response.hidden.language', 'message=form_response.answers[*].text', 'phone=form_response.answers[*].phone_number');
  subject uuid;
BEGIN
  IF event <> 'form_response' AND NOT is_opt_out THEN
    RETURN;
  END IF;
  subject := integrations.subject_of(delivery, 'form_response.hidden.email', 'recipient.email');
  IF event = 'form_response' THEN
    PERFORM integrations.record_activity(delivery, subject, 'survey_answered', 'survey_tool', fields);
  END IF;
  IF is_opt_out THEN
    PERFORM integrations.withdraw_consent(delivery, subject, 'survey_answered', 'survey_tool', fields);
  END IF;
END $$;
COMMENT ON FUNCTION integrations.on_survey IS
  'An answer to a survey, or no to further ones: {"event_id": "…", "event_type": "form_response", "form_response": {"hidden": {"email": "…"}}}.';

-- A ticket and a reservation are alike: a person under one name, an order under another.
CREATE OR REPLACE FUNCTION integrations.on_booking(
  delivery postern.webhook_delivery, event text, person text, "order" text, source text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := postern.webhook_json(delivery);
  is_opt_out CONSTANT boolean := integrations.is_opt_out(event) OR integrations.text_at(body, person || '.opt_out', person || '.unsubscribed') = 'true';
  fields CONSTANT text[] := integrations.fields_in(body, 'email=' || person || '.email', 'first_name=' || person || '.first_name',
    'last_name=' || person || '.last_name', 'first_name=' || person || '.name', 'last_name=' || person || '.name', 'phone=' || person || '.phone',
    'postal_address=' || person || '.address', 'date_of_birth=' || person || '.date_of_birth', 'language=' || person || '.language',
    'allergies=' || person || '.allergies', 'allergies=' || person || '.allergies[0]', 'message=' || "order" || '.message',
    'order_number=' || "order" || '.id', 'order_number=' || "order" || '.number', 'order_total=' || "order" || '.total');
  subject uuid;
BEGIN
  IF event NOT IN ('order.placed', 'reservation.created', person || '.updated') AND NOT is_opt_out THEN
    RETURN;
  END IF;
  subject := integrations.subject_of(delivery, person || '.email');
  IF event IN ('order.placed', 'reservation.created') THEN
    PERFORM integrations.record_activity(delivery, subject, 'order_placed', source, fields);
  ELSIF event = person || '.updated' THEN
    PERFORM integrations.change_contact(delivery, subject,
      coalesce(integrations.text_at(body, person || '.name'), concat_ws(' ', body #>> ARRAY[person, 'first_name'], body #>> ARRAY[person, 'last_name'])),
      integrations.text_at(body, person || '.country'), integrations.text_at(body, person || '.language'), NULL, source, fields);
  END IF;
  IF is_opt_out THEN
    PERFORM integrations.withdraw_consent(delivery, subject, 'newsletter_sent', source, fields);
  END IF;
END $$;
COMMENT ON FUNCTION integrations.on_booking IS 'A booking, a change of the person''s data, or an opt-out.';

CREATE OR REPLACE FUNCTION integrations.on_events(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.on_booking(delivery, coalesce(postern.webhook_json(delivery) ->> 'action', 'order.placed'), 'attendee', 'order', 'event_tool')
$$;
COMMENT ON FUNCTION integrations.on_events IS 'A ticket to an event: {"action": "order.placed", "attendee": {"email": "…"}, "order": {"id": "…"}}.';

CREATE OR REPLACE FUNCTION integrations.on_hotel(delivery postern.webhook_delivery) RETURNS void LANGUAGE sql AS $$
  SELECT integrations.on_booking(delivery, coalesce(postern.webhook_json(delivery) ->> 'event', 'reservation.created'), 'guest', 'reservation', 'reservation_system')
$$;
COMMENT ON FUNCTION integrations.on_hotel IS
  'A reservation: {"event": "reservation.created", "guest": {"email": "…", "allergies": "…"}, "reservation": {"id": "…"}}.';

-- ---------------------------------------------------------------------------------------------------------
-- What a team sees of it: services, keys, deliveries; and who signs in. Rows are chosen by permissions.toml.
-- ---------------------------------------------------------------------------------------------------------

DROP VIEW IF EXISTS integration_services, webhook_deliveries, integration_keys, team_authentication_events;

-- A list shows the newest deliveries: each looks for its event, and the list reads no others.
CREATE INDEX IF NOT EXISTS event_queue_of_delivery ON postern.event_queue ((payload ->> 'delivery')) WHERE kind = 'webhook';

CREATE VIEW webhook_deliveries AS
SELECT r.delivery_id AS id, r.data_controller_id, r.service, r.received_at, r.processed_at, r.verification,
       CASE WHEN r.processed_at IS NOT NULL THEN 'processed' WHEN e.state = 'dead' THEN 'failed'
            WHEN e.state = 'pending' AND i.attempts > 0 THEN 'retrying' WHEN e.state = 'pending' THEN 'waiting' ELSE 'removed' END AS state,
       i.attempts, i.last_attempt_at, CASE WHEN r.processed_at IS NULL THEN i.last_error END AS last_error
  FROM integrations.delivery_controllers r
  -- Aggregates have one row each, so that a count looks for no event.
  LEFT JOIN LATERAL (
    SELECT (array_agg(e.id))[1] AS id, (array_agg(e.state))[1] AS state
      FROM postern.event_queue e WHERE e.kind = 'webhook' AND e.payload ->> 'delivery' = r.delivery_id::text) e ON true
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS attempts, max(i.at) AS last_attempt_at,
           (array_agg(coalesce(i.error, i.status::text) ORDER BY i.id DESC) FILTER (WHERE i.outcome <> 'delivered'))[1] AS last_error
      FROM postern.event_invocation i WHERE i.event_id = e.id) i ON true;
COMMENT ON VIEW webhook_deliveries IS 'A report of a service by webhook, without its contents.';
COMMENT ON COLUMN webhook_deliveries.id IS 'The identifier.';
COMMENT ON COLUMN webhook_deliveries.data_controller_id IS 'The controller that it is for.';
COMMENT ON COLUMN webhook_deliveries.service IS 'The service that sent it.';
COMMENT ON COLUMN webhook_deliveries.received_at IS 'When it arrived and was verified.';
COMMENT ON COLUMN webhook_deliveries.processed_at IS 'When it was processed.';
COMMENT ON COLUMN webhook_deliveries.verification IS 'How its sender was verified.';
COMMENT ON COLUMN webhook_deliveries.state IS 'waiting; retrying, after an attempt has failed; processed; failed, after the last attempt; or removed: its contents are gone.';
COMMENT ON COLUMN webhook_deliveries.attempts IS 'How often its processing was tried; 0 once the queue has forgotten it.';
COMMENT ON COLUMN webhook_deliveries.last_attempt_at IS 'When it was tried last.';
COMMENT ON COLUMN webhook_deliveries.last_error IS 'Why the last attempt failed.';

CREATE VIEW integration_keys AS
SELECT k.id, c.id AS data_controller_id, k.service, k.name, k.hint, k.created_at, k.created_by, k.revoked_at, k.revoked_by
  FROM integrations.keys k JOIN data_controllers c ON c.did = k.did;
COMMENT ON VIEW integration_keys IS 'A key with which a service reports for a controller; the key itself is shown when it is made, and never again.';
COMMENT ON COLUMN integration_keys.id IS 'The identifier.';
COMMENT ON COLUMN integration_keys.data_controller_id IS 'The controller.';
COMMENT ON COLUMN integration_keys.service IS 'The service.';
COMMENT ON COLUMN integration_keys.name IS 'What the key is for; null for the key of the operator.';
COMMENT ON COLUMN integration_keys.hint IS 'The last four characters of the key.';
COMMENT ON COLUMN integration_keys.created_at IS 'When it was made.';
COMMENT ON COLUMN integration_keys.created_by IS 'The Administrator who made it; null for the operator.';
COMMENT ON COLUMN integration_keys.revoked_at IS 'When it ended.';
COMMENT ON COLUMN integration_keys.revoked_by IS 'The Administrator who ended it; null for the operator.';

CREATE VIEW integration_services AS
SELECT c.id AS data_controller_id, s.service, s.labels, s.verification, s.manages_keys,
       '/api/v1/integrations/' || s.service || '/event' AS path,
       EXISTS (SELECT FROM integrations.connections n WHERE n.service = s.service AND n.data_controller_id = c.id) OR k.valid_keys > 0 OR d.deliveries > 0 AS connected,
       k.valid_keys, d.last_received_at, d.deliveries, o.failed, o.waiting
  FROM data_controllers c
 CROSS JOIN integrations.services s
 CROSS JOIN LATERAL (SELECT count(*)::int AS valid_keys FROM integrations.keys k WHERE k.did = c.did AND k.service = s.service AND k.revoked_at IS NULL) k
 CROSS JOIN LATERAL (
    SELECT max(r.received_at) AS last_received_at, count(*)::int AS deliveries
      FROM integrations.delivery_controllers r WHERE r.data_controller_id = c.id AND r.service = s.service) d
 CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE e.state = 'dead')::int AS failed, count(*) FILTER (WHERE e.state = 'pending')::int AS waiting
      FROM integrations.delivery_controllers r
     CROSS JOIN LATERAL (
        SELECT (array_agg(e.state))[1] AS state
          FROM postern.event_queue e WHERE e.kind = 'webhook' AND e.payload ->> 'delivery' = r.delivery_id::text) e
     WHERE r.data_controller_id = c.id AND r.service = s.service AND r.processed_at IS NULL) o;
COMMENT ON VIEW integration_services IS 'A service that may report to a controller by webhook, and whether it does.';
COMMENT ON COLUMN integration_services.data_controller_id IS 'The controller.';
COMMENT ON COLUMN integration_services.service IS 'The name of the service.';
COMMENT ON COLUMN integration_services.labels IS 'What it is, by language: en, de and nl.';
COMMENT ON COLUMN integration_services.verification IS 'How its reports are verified: hmac, stripe, github, standard, jwe or legacy.';
COMMENT ON COLUMN integration_services.manages_keys IS 'Whether the controller makes its own keys; the secret of the others is the operator''s.';
COMMENT ON COLUMN integration_services.path IS 'Where it reports to.';
COMMENT ON COLUMN integration_services.connected IS 'Whether it is set up for the controller.';
COMMENT ON COLUMN integration_services.valid_keys IS 'How many keys it may use.';
COMMENT ON COLUMN integration_services.last_received_at IS 'When it reported last.';
COMMENT ON COLUMN integration_services.deliveries IS 'How many reports are on record.';
COMMENT ON COLUMN integration_services.failed IS 'How many of them could not be processed.';
COMMENT ON COLUMN integration_services.waiting IS 'How many of them wait to be processed.';

-- When people were active members of a team. It outlasts the membership: who leaves a team, or is invited again, takes nothing
-- out of the Administrators' list. The schema is not exposed, and triggers alone write it.
CREATE SCHEMA IF NOT EXISTS team;
COMMENT ON SCHEMA team IS 'What is recorded of teams.';

CREATE TABLE IF NOT EXISTS team.membership_periods (
  id                 bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  data_controller_id uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  user_id            uuid        NOT NULL,
  started_at         timestamptz NOT NULL,
  ended_at           timestamptz CHECK (ended_at >= started_at)
);
COMMENT ON TABLE team.membership_periods IS 'A time during which a person was an active member of a team.';
COMMENT ON COLUMN team.membership_periods.id IS 'The identifier.';
COMMENT ON COLUMN team.membership_periods.data_controller_id IS 'The controller whose team it is.';
COMMENT ON COLUMN team.membership_periods.user_id IS 'The member; the account may be gone.';
COMMENT ON COLUMN team.membership_periods.started_at IS 'When the membership became active.';
COMMENT ON COLUMN team.membership_periods.ended_at IS 'When it was suspended or removed; null while it is active.';
CREATE INDEX IF NOT EXISTS membership_periods_controller_idx ON team.membership_periods (data_controller_id);
CREATE UNIQUE INDEX IF NOT EXISTS membership_periods_open_key ON team.membership_periods (user_id, data_controller_id) WHERE ended_at IS NULL;

DROP TRIGGER IF EXISTS refuse_change ON team.membership_periods;
-- The members whom the table finds when it is made. A suspended one was active until the last change.
INSERT INTO team.membership_periods (data_controller_id, user_id, started_at, ended_at)
SELECT m.data_controller_id, m.user_id, m.created_at, CASE m.status WHEN 'suspended' THEN m.updated_at END
  FROM data_controller_users m
 WHERE m.status <> 'invited' AND NOT EXISTS (SELECT FROM team.membership_periods);

CREATE OR REPLACE FUNCTION team.record_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.status = 'active' THEN
    UPDATE team.membership_periods p SET ended_at = greatest(now(), p.started_at)
     WHERE p.data_controller_id = OLD.data_controller_id AND p.user_id = OLD.user_id AND p.ended_at IS NULL;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.status = 'active' THEN
    INSERT INTO team.membership_periods (data_controller_id, user_id, started_at) VALUES (NEW.data_controller_id, NEW.user_id, now());
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION team.record_membership IS 'Opens a period when a membership becomes active, and closes it when it is suspended or removed.';
CREATE OR REPLACE TRIGGER record_membership AFTER INSERT OR DELETE ON data_controller_users
  FOR EACH ROW EXECUTE FUNCTION team.record_membership();
CREATE OR REPLACE TRIGGER record_membership_change AFTER UPDATE ON data_controller_users FOR EACH ROW
  WHEN ((OLD.status, OLD.user_id, OLD.data_controller_id) IS DISTINCT FROM (NEW.status, NEW.user_id, NEW.data_controller_id))
  EXECUTE FUNCTION team.record_membership();

CREATE OR REPLACE FUNCTION team.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'periods of membership are written by changes of memberships' USING ERRCODE = 'insufficient_privilege';
END $$;
COMMENT ON FUNCTION team.refuse_change IS 'Refuses a statement that no trigger runs.';
CREATE OR REPLACE TRIGGER refuse_change BEFORE INSERT OR UPDATE OR DELETE ON team.membership_periods
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION team.refuse_change();
CREATE OR REPLACE TRIGGER refuse_truncation BEFORE TRUNCATE ON team.membership_periods
  FOR EACH STATEMENT EXECUTE FUNCTION team.refuse_change();

-- Of a member what has happened while the membership was active; of a person who came to a widget with an identity that the site
-- has signed. OFFSET 0 keeps the lookup by the index (user_id, at) for each member or person, instead of a scan of all events.
CREATE VIEW team_authentication_events AS
SELECT e.id, e.at, e.event, e.outcome, e.method, e.reason, p.data_controller_id, p.user_id, NULL::uuid AS data_subject_id
  FROM team.membership_periods p
 CROSS JOIN LATERAL (
    SELECT e.* FROM postern.authentication_event e
     WHERE e.user_id = p.user_id::text AND e.at >= p.started_at AND e.at < coalesce(p.ended_at, 'infinity') OFFSET 0) e
UNION ALL
SELECT e.id, e.at, e.event, e.outcome, e.method, e.reason, s.data_controller_id, NULL, s.id
  FROM data_subjects s
 CROSS JOIN LATERAL (
    SELECT e.* FROM postern.authentication_event e
     WHERE e.user_id = s.id::text AND e.audience = s.data_controller_id::text OFFSET 0) e;
COMMENT ON VIEW team_authentication_events IS 'What happened with the accounts of a team''s members, and the sign-ins of people at its widgets.';
COMMENT ON COLUMN team_authentication_events.id IS 'The event''s number; a member of several teams is in each.';
COMMENT ON COLUMN team_authentication_events.at IS 'When it happened.';
COMMENT ON COLUMN team_authentication_events.event IS 'What happened: sign-in, refresh, sign-out, password-changed, token-created …';
COMMENT ON COLUMN team_authentication_events.outcome IS 'success or failure.';
COMMENT ON COLUMN team_authentication_events.method IS 'How the person signed in or up.';
COMMENT ON COLUMN team_authentication_events.reason IS 'Why it failed.';
COMMENT ON COLUMN team_authentication_events.data_controller_id IS 'The controller whose team or widget it is.';
COMMENT ON COLUMN team_authentication_events.user_id IS 'The member.';
COMMENT ON COLUMN team_authentication_events.data_subject_id IS 'The person at a widget.';

CREATE OR REPLACE FUNCTION create_integration_key(session json, data_controller_id uuid, service text, name text) RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  controller ALIAS FOR $2;
  used_service integrations.services;
  label CONSTANT text := btrim(create_integration_key.name);
  -- 256 bits of the system's source of randomness.
  bytes CONSTANT bytea := sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  secret text;
  controller_did text;
  key_id uuid;
BEGIN
  IF NOT session_administers_controller(session, controller) THEN
    PERFORM deny_controller();
  END IF;
  SELECT s.* INTO used_service FROM integrations.services s WHERE s.service = create_integration_key.service;
  IF used_service.service IS NULL THEN
    RAISE EXCEPTION 'there is no such service' USING ERRCODE = 'PT400';
  END IF;
  IF NOT used_service.manages_keys THEN
    RAISE EXCEPTION 'the secret of this service is in the operator''s settings' USING ERRCODE = 'PT409';
  END IF;
  IF label IS NULL OR char_length(label) NOT BETWEEN 1 AND 100 THEN
    RAISE EXCEPTION 'name has 1 to 100 characters' USING ERRCODE = 'PT400';
  END IF;
  SELECT c.did INTO controller_did FROM data_controllers c WHERE c.id = controller FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM integrations.keys k WHERE k.did = controller_did AND k.service = used_service.service AND k.revoked_at IS NULL) >= 10 THEN
    RAISE EXCEPTION 'a service has at most ten keys; revoke one first' USING ERRCODE = 'PT409';
  END IF;
  -- As the service writes its own.
  secret := CASE used_service.verification
    WHEN 'stripe' THEN 'whsec_' || encode(bytes, 'hex') WHEN 'standard' THEN 'whsec_' || encode(bytes, 'base64')
    WHEN 'jwe' THEN encode(bytes, 'base64') ELSE encode(bytes, 'hex') END;
  INSERT INTO integrations.keys (did, digest, service, name, hint, secret, created_by)
  VALUES (controller_did, sha256(convert_to(secret, 'UTF8')), used_service.service, label, right(rtrim(secret, '='), 4),
          CASE WHEN used_service.verification <> 'legacy' THEN secret END, (session ->> 'x-gateway-user-id')::uuid)
  RETURNING id INTO key_id;
  RETURN json_build_object('id', key_id, 'service', used_service.service, 'secret', secret,
    'path', '/api/v1/integrations/' || used_service.service || '/event?did=' || controller_did
      || CASE used_service.verification WHEN 'legacy' THEN '&svcKey={key}' WHEN 'jwe' THEN '&token={token}' ELSE '' END);
END $$;
COMMENT ON FUNCTION create_integration_key(json, uuid, text, text) IS 'Answers the action createIntegrationKey.';

CREATE OR REPLACE FUNCTION revoke_integration_key(session json, id uuid) RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  revoked timestamptz;
BEGIN
  SELECT k.revoked_at INTO revoked FROM integrations.keys k JOIN data_controllers c ON c.did = k.did
   WHERE k.id = revoke_integration_key.id AND session_administers_controller(session, c.id) FOR UPDATE OF k;
  IF NOT FOUND THEN
    PERFORM deny_controller();
  END IF;
  UPDATE integrations.keys k SET revoked_at = now(), revoked_by = (session ->> 'x-gateway-user-id')::uuid
   WHERE k.id = revoke_integration_key.id AND revoked IS NULL;
  RETURN json_build_object('status', 'success', 'message', 'The key is revoked.');
END $$;
COMMENT ON FUNCTION revoke_integration_key(json, uuid) IS 'Answers the action revokeIntegrationKey.';

-- As `postern events replay` does it: one that is being processed, or waits for an older one of its sender, is left alone.
CREATE OR REPLACE FUNCTION replay_delivery(session json, delivery_id uuid) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  delivery webhook_deliveries;
BEGIN
  SELECT d.* INTO delivery FROM webhook_deliveries d
   WHERE d.id = delivery_id AND session_administers_controller(session, d.data_controller_id);
  IF NOT FOUND THEN
    PERFORM deny_controller();
  END IF;
  IF delivery.state NOT IN ('failed', 'retrying') THEN
    RAISE EXCEPTION '%', CASE delivery.state
      WHEN 'processed' THEN 'the delivery is processed already'
      WHEN 'waiting' THEN 'the delivery waits to be processed'
      ELSE 'the contents of the delivery are removed' END USING ERRCODE = 'PT409';
  END IF;
  UPDATE postern.event_queue e
     SET state = 'pending', attempts = 0, due_at = now(), finished_at = NULL, lease = NULL, leased_until = NULL
   WHERE e.kind = 'webhook' AND e.payload ->> 'delivery' = delivery_id::text AND e.state IN ('dead', 'pending') AND e.due_at < 'infinity'
     AND (e.lease IS NULL OR e.leased_until IS NULL OR e.leased_until <= now());
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the delivery waits to be processed' USING ERRCODE = 'PT409';
  END IF;
  PERFORM pg_notify('postern_event', '');
  RETURN json_build_object('status', 'success', 'message', 'The delivery is processed again.');
END $$;
COMMENT ON FUNCTION replay_delivery(json, uuid) IS 'Answers the action replayDelivery.';

COMMIT;
