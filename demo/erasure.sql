-- Erasure (Article 17 GDPR): what may be erased of a person is erased, and the answer says what stays, why and until when. A
-- member of the team runs it with the action runErasure before the request is completed.

BEGIN;

INSERT INTO service_texts (code, en, de, nl) VALUES
  ('erasure.title', 'Your data has been erased', 'Ihre Daten wurden gelöscht', 'Uw gegevens zijn verwijderd'),
  ('erasure.erased', 'On {day} we erased:', 'Am {day} haben wir gelöscht:', 'Op {day} hebben wij verwijderd:'),
  ('erasure.kept', 'This stays:', 'Das bleibt:', 'Dit blijft:'),
  ('erasure.profile', 'your name, e-mail address and country', 'Ihren Namen, Ihre E-Mail-Adresse und Ihr Land', 'uw naam, e-mailadres en land'),
  ('erasure.identifier', 'your identifier, which was replaced by a new one', 'Ihre Kennung, die durch eine neue ersetzt wurde', 'uw identificatie, die door een nieuwe is vervangen'),
  ('erasure.activities', 'records of what was done with your data: {count}', 'Aufzeichnungen darüber, was mit Ihren Daten geschah: {count}', 'vastleggingen van wat er met uw gegevens is gedaan: {count}'),
  ('erasure.messages', 'messages to you: {count}', 'Nachrichten an Sie: {count}', 'berichten aan u: {count}'),
  ('erasure.kept_records',
   'records for “{purpose}” ({count}) until {until}, because the law requires it (Article 17(3)(b) GDPR{law})',
   'Aufzeichnungen für „{purpose}“ ({count}) bis zum {until}, weil das Gesetz es verlangt (Art. 17 Abs. 3 lit. b DSGVO{law})',
   'vastleggingen voor “{purpose}” ({count}) tot {until}, omdat de wet dat vraagt (artikel 17 lid 3 onder b AVG{law})'),
  ('erasure.kept_consents',
   'consents and withdrawals ({count}), as long as we may have to prove them, usually three years (Article 7(1) and Article 17(3)(e) GDPR)',
   'Einwilligungen und Widerrufe ({count}), solange wir sie nachweisen müssen, in der Regel drei Jahre (Art. 7 Abs. 1 und Art. 17 Abs. 3 lit. e DSGVO)',
   'toestemmingen en intrekkingen ({count}), zolang wij die moeten kunnen aantonen, doorgaans drie jaar (artikel 7 lid 1 en artikel 17 lid 3 onder e AVG)'),
  ('erasure.kept_request',
   'your requests and our answers, as long as we may have to prove them, usually three years (Article 5(2) and Article 17(3)(e) GDPR)',
   'Ihre Anträge und unsere Antworten, solange wir sie nachweisen müssen, in der Regel drei Jahre (Art. 5 Abs. 2 und Art. 17 Abs. 3 lit. e DSGVO)',
   'uw verzoeken en onze antwoorden, zolang wij die moeten kunnen aantonen, doorgaans drie jaar (artikel 5 lid 2 en artikel 17 lid 3 onder e AVG)');

-- The purpose for which a record has to stay although the person asks for erasure, and until when: one that the law prescribes to
-- the controller and that the record's type serves. No row: the record may go.
CREATE FUNCTION activity_kept_for(activity data_processing_activities) RETURNS TABLE (purpose text, until timestamptz, is_bookkeeping boolean)
LANGUAGE sql STABLE AS $$
  SELECT p.title, activity.triggered_at + make_interval(months => coalesce(p.retention_months, 120)), t.code IN ('invoice_sent', 'payment_received')
    FROM data_processing_activity_types t
    JOIN data_controller_purpose_template_links l ON l.purpose_business_template_id = t.purpose_business_template_id
    JOIN data_controller_processing_purposes p ON p.id = l.data_controller_processing_purpose_id
    JOIN data_subjects s ON s.data_controller_id = p.data_controller_id
   WHERE t.id = activity.type_id AND s.id = activity.data_subject_id AND p.legal_basis = 'legal_obligation' AND p.status <> 'draft'
     AND activity.triggered_at + make_interval(months => coalesce(p.retention_months, 120)) > now()
   ORDER BY 2 DESC, p.id LIMIT 1
$$;
COMMENT ON FUNCTION activity_kept_for(data_processing_activities) IS 'For which purpose, and until when, a record of a processing has to be kept although the person asks for erasure.';

-- Returns the answer to the person, in the person's language.
CREATE FUNCTION erase_data_subject(person uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  lang CONSTANT text := language_of_subject(person);
  country CONSTANT text := country_of_subject(person);
  zone CONSTANT text := time_zone_of(country);
  law CONSTANT text := CASE country WHEN 'DE' THEN '; § 147 AO, § 257 HGB' WHEN 'NL' THEN '; artikel 52 AWR'
                       WHEN 'GB' THEN '; section 388 Companies Act 2006' ELSE '' END;
  kept text;
  consents bigint;
  activities bigint;
  messages bigint;
  is_known boolean;
  erased text;
BEGIN
  -- Records of processing are deleted by erasure and by retention alone.
  PERFORM set_config('privacy.erasing', 'on', true);
  SELECT string_agg('- ' || service_text('erasure.kept_records', lang, jsonb_build_object(
           'purpose', k.purpose, 'count', k.count, 'until', long_date((k.until AT TIME ZONE zone)::date, lang),
           'law', CASE WHEN k.is_bookkeeping THEN law ELSE '' END)), E'\n' ORDER BY k.purpose) INTO kept
    FROM (SELECT f.purpose, f.is_bookkeeping, count(*) AS count, max(f.until) AS until
            FROM data_processing_activities a CROSS JOIN activity_kept_for(a) f WHERE a.data_subject_id = person GROUP BY 1, 2) k;
  PERFORM withdraw_by_erasure(person);
  SELECT (SELECT count(*) FROM data_subject_consent_form_values v WHERE v.data_subject_id = person)
       + (SELECT count(*) FROM data_subject_consent_history h WHERE h.data_subject_id = person) INTO consents;
  PERFORM set_config('privacy.erasing', 'on', true);
  DELETE FROM data_processing_activities a
   WHERE a.data_subject_id = person AND NOT EXISTS (SELECT FROM activity_kept_for(a));
  GET DIAGNOSTICS activities = ROW_COUNT;
  PERFORM set_config('privacy.erasing', 'off', true);
  DELETE FROM notification_messages n WHERE n.data_subject_id = person AND n.kind <> 'rights_request';
  GET DIAGNOSTICS messages = ROW_COUNT;
  DELETE FROM outgoing_mails m WHERE m.data_subject_id = person;
  UPDATE data_subject_rights_requests r SET contact_email = NULL, contact_verified_at = NULL
   WHERE r.data_subject_id = person AND r.closed_at IS NOT NULL AND r.contact_email IS NOT NULL;
  SELECT num_nonnulls(s.display_name, s.email, s.country) > 0 INTO is_known FROM data_subjects s WHERE s.id = person;
  UPDATE data_subjects s SET display_name = NULL, email = NULL, country = NULL,
         did = c.did || ':subjects:' || left(replace(gen_random_uuid()::text, '-', ''), 16)
    FROM data_controllers c WHERE s.id = person AND c.id = s.data_controller_id;
  PERFORM set_config('privacy.erasing', 'off', true);
  erased := concat_ws(E'\n',
    CASE WHEN is_known THEN '- ' || service_text('erasure.profile', lang) END,
    '- ' || service_text('erasure.identifier', lang),
    CASE WHEN activities > 0 THEN '- ' || service_text('erasure.activities', lang, jsonb_build_object('count', activities)) END,
    CASE WHEN messages > 0 THEN '- ' || service_text('erasure.messages', lang, jsonb_build_object('count', messages)) END);
  RETURN concat_ws(E'\n',
    service_text('erasure.erased', lang, jsonb_build_object('day', long_date((now() AT TIME ZONE zone)::date, lang))), erased,
    '', service_text('erasure.kept', lang),
    kept,
    CASE WHEN consents > 0 THEN '- ' || service_text('erasure.kept_consents', lang, jsonb_build_object('count', consents)) END,
    '- ' || service_text('erasure.kept_request', lang));
END $$;
COMMENT ON FUNCTION erase_data_subject(uuid) IS 'Erases what may be erased of a person, and says what was erased and what stays.';

CREATE FUNCTION run_erasure(session json, rights_request_id uuid) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  request data_subject_rights_requests;
  address text;
  answer text;
BEGIN
  SELECT r.* INTO request FROM data_subject_rights_requests r
   WHERE r.id = rights_request_id
     AND session_edits_controller(session, (SELECT s.data_controller_id FROM data_subjects s WHERE s.id = r.data_subject_id))
     FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM deny_controller();
  END IF;
  IF request.request_type NOT IN ('erasure', 'deletion') THEN
    RAISE EXCEPTION 'the request does not ask for erasure' USING ERRCODE = 'PT409';
  END IF;
  IF request.closed_at IS NOT NULL THEN
    RAISE EXCEPTION 'the request is closed' USING ERRCODE = 'PT409';
  END IF;
  IF request.erased_at IS NOT NULL THEN
    RAISE EXCEPTION 'the erasure has run already' USING ERRCODE = 'PT409';
  END IF;
  IF NOT request.verified THEN
    RAISE EXCEPTION 'check the identity of the person before anything is erased' USING ERRCODE = 'PT409';
  END IF;
  -- Whoever is forgotten is told at the address that is known for the last time.
  SELECT CASE WHEN request.contact_verified_at IS NULL THEN s.email END INTO address FROM data_subjects s WHERE s.id = request.data_subject_id;
  answer := erase_data_subject(request.data_subject_id);
  IF address IS NOT NULL THEN
    INSERT INTO outgoing_mails (data_subject_id, recipient, language, subject, body)
    SELECT request.data_subject_id, address, l, service_text('erasure.title', l), answer FROM language_of_subject(request.data_subject_id) l;
  END IF;
  UPDATE data_subject_rights_requests r
     SET status = 'in_progress', erased_at = now(), erased_by = (session ->> 'x-gateway-user-id')::uuid, result = answer
   WHERE r.id = request.id;
  RETURN json_build_object('status', 'success', 'message', 'What may be erased was erased; complete the request to answer the person.', 'result', answer);
END $$;
COMMENT ON FUNCTION run_erasure(json, uuid) IS 'Answers the action runErasure.';

COMMIT;
