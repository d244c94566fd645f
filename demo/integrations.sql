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

COMMIT;
