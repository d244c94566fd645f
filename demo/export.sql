-- What is held about a person, with what Article 15(1) GDPR wants to be told besides: as JSON, and as a page to read in the
-- person's language. The action exportDataSubjectData returns both, and a completed access or portability request has them
-- attached.

BEGIN;

INSERT INTO service_texts (code, en, de, nl) VALUES
  ('export.title', 'Your data', 'Ihre Daten', 'Uw gegevens'),
  ('export.file', 'Your data (JSON)', 'Ihre Daten (JSON)', 'Uw gegevens (JSON)'),
  ('export.intro', 'What {controller} holds about you, as of {day}.', 'Was {controller} über Sie gespeichert hat, Stand {day}.', 'Wat {controller} over u bewaart, per {day}.'),
  ('export.none', 'Nothing is recorded.', 'Nichts ist gespeichert.', 'Er is niets vastgelegd.'),
  ('export.controller', 'Who is responsible', 'Wer verantwortlich ist', 'Wie verantwoordelijk is'),
  ('export.officer', 'Data protection officer', 'Datenschutzbeauftragte Person', 'Functionaris voor gegevensbescherming'),
  ('export.person', 'About you', 'Angaben zu Ihrer Person', 'Over u'),
  ('export.purposes', 'Why your data is processed', 'Warum Ihre Daten verarbeitet werden', 'Waarom uw gegevens worden verwerkt'),
  ('export.recipients', 'Who receives data for these purposes', 'Wer für diese Zwecke Daten erhält', 'Wie voor deze doelen gegevens ontvangt'),
  ('export.consents', 'What you agreed to', 'Ihre Einwilligungen', 'Uw toestemmingen'),
  ('export.activities', 'What was done with your data', 'Was mit Ihren Daten geschehen ist', 'Wat er met uw gegevens is gedaan'),
  ('export.requests', 'Your requests', 'Ihre Anträge', 'Uw verzoeken'),
  ('export.messages', 'Messages to you', 'Nachrichten an Sie', 'Berichten aan u'),
  ('export.sources', 'Where the data comes from', 'Woher die Daten stammen', 'Waar de gegevens vandaan komen'),
  ('export.decisions', 'Automated decisions', 'Automatisierte Entscheidungen', 'Geautomatiseerde besluiten'),
  ('export.decisions_yes',
   'Decisions are made by automated means. You may ask for a person to look at a decision, say what you think of it, and contest it; ask the data protection officer how it comes about.',
   'Entscheidungen werden automatisiert getroffen. Sie können verlangen, dass ein Mensch die Entscheidung prüft, Ihren Standpunkt darlegen und sie anfechten; wie sie zustande kommt, erfahren Sie von der datenschutzbeauftragten Person.',
   'Er worden geautomatiseerde besluiten genomen. U kunt vragen dat een mens het besluit beoordeelt, uw standpunt geven en het aanvechten; vraag de functionaris voor gegevensbescherming hoe het tot stand komt.'),
  ('export.decisions_no', 'No decision about you is made by automated means alone.', 'Über Sie wird nicht allein automatisiert entschieden.', 'Over u wordt niet uitsluitend geautomatiseerd besloten.'),
  ('export.rights', 'Your rights', 'Ihre Rechte', 'Uw rechten'),
  ('export.rights_text',
   'You may have your data corrected or erased, have its processing restricted, object to it, receive the data that you provided in a machine-readable form, and withdraw a consent at any time.',
   'Sie können Ihre Daten berichtigen oder löschen lassen, die Verarbeitung einschränken lassen, ihr widersprechen, von Ihnen bereitgestellte Daten in maschinenlesbarer Form erhalten und eine Einwilligung jederzeit widerrufen.',
   'U kunt uw gegevens laten corrigeren of verwijderen, de verwerking laten beperken, bezwaar maken, de gegevens die u heeft verstrekt in machineleesbare vorm ontvangen en een toestemming altijd intrekken.'),
  ('export.complaint', 'You may complain to the supervisory authority: {authority}.', 'Sie können sich bei der Aufsichtsbehörde beschweren: {authority}.', 'U kunt een klacht indienen bij de toezichthouder: {authority}.'),
  ('export.months', '{months} months', '{months} Monate', '{months} maanden'),
  ('export.relation', 'While you are a customer', 'Solange Sie Kundin oder Kunde sind', 'Zolang u klant bent'),
  ('export.yes', 'yes', 'ja', 'ja'),
  ('export.no', 'no', 'nein', 'nee'),
  ('column.name', 'Name', 'Name', 'Naam'),
  ('column.email', 'E-mail address', 'E-Mail-Adresse', 'E-mailadres'),
  ('column.country', 'Country', 'Land', 'Land'),
  ('column.did', 'Identifier', 'Kennung', 'Identificatie'),
  ('column.language', 'Language', 'Sprache', 'Taal'),
  ('column.do_not_track', 'Signal Do Not Track', 'Signal „Do Not Track“', 'Signaal Do Not Track'),
  ('column.global_privacy_control', 'Signal Global Privacy Control', 'Signal „Global Privacy Control“', 'Signaal Global Privacy Control'),
  ('column.since', 'Known since', 'Bekannt seit', 'Bekend sinds'),
  ('column.purpose', 'Purpose', 'Zweck', 'Doel'),
  ('column.basis', 'Legal basis', 'Rechtsgrundlage', 'Grondslag'),
  ('column.retention', 'Kept for', 'Aufbewahrung', 'Bewaartermijn'),
  ('column.data', 'Data', 'Daten', 'Gegevens'),
  ('column.recipient', 'Recipient', 'Empfänger', 'Ontvanger'),
  ('column.service', 'Service', 'Leistung', 'Dienst'),
  ('column.safeguard', 'Safeguard', 'Garantie', 'Waarborg'),
  ('column.answer', 'Answer', 'Antwort', 'Antwoord'),
  ('column.when', 'When', 'Wann', 'Wanneer'),
  ('column.until', 'Until', 'Bis', 'Tot'),
  ('column.what', 'What', 'Was', 'Wat'),
  ('column.source', 'Source', 'Quelle', 'Bron'),
  ('column.request', 'Request', 'Antrag', 'Verzoek'),
  ('column.status', 'Status', 'Stand', 'Status'),
  ('column.message', 'Message', 'Nachricht', 'Bericht'),
  ('basis.consent', 'Consent (Article 6(1)(a) GDPR)', 'Einwilligung (Art. 6 Abs. 1 lit. a DSGVO)', 'Toestemming (artikel 6 lid 1 onder a AVG)'),
  ('basis.contract', 'Contract (Article 6(1)(b) GDPR)', 'Vertrag (Art. 6 Abs. 1 lit. b DSGVO)', 'Overeenkomst (artikel 6 lid 1 onder b AVG)'),
  ('basis.legal_obligation', 'Legal obligation (Article 6(1)(c) GDPR)', 'Rechtliche Verpflichtung (Art. 6 Abs. 1 lit. c DSGVO)', 'Wettelijke verplichting (artikel 6 lid 1 onder c AVG)'),
  ('basis.vital_interests', 'Vital interests (Article 6(1)(d) GDPR)', 'Lebenswichtige Interessen (Art. 6 Abs. 1 lit. d DSGVO)', 'Vitale belangen (artikel 6 lid 1 onder d AVG)'),
  ('basis.public_task', 'Public task (Article 6(1)(e) GDPR)', 'Öffentliche Aufgabe (Art. 6 Abs. 1 lit. e DSGVO)', 'Publieke taak (artikel 6 lid 1 onder e AVG)'),
  ('basis.legitimate_interests', 'Legitimate interests (Article 6(1)(f) GDPR)', 'Berechtigte Interessen (Art. 6 Abs. 1 lit. f DSGVO)', 'Gerechtvaardigde belangen (artikel 6 lid 1 onder f AVG)'),
  ('status.submitted', 'received', 'eingegangen', 'ontvangen'),
  ('status.pending', 'received', 'eingegangen', 'ontvangen'),
  ('status.in_progress', 'in progress', 'in Bearbeitung', 'in behandeling'),
  ('status.completed', 'answered', 'beantwortet', 'beantwoord'),
  ('status.rejected', 'rejected', 'abgelehnt', 'afgewezen'),
  ('status.withdrawn', 'withdrawn', 'zurückgezogen', 'ingetrokken');

-- The name of a row of a shared catalog in a language: `labels`, or the plain label where there is none.
CREATE FUNCTION label_in(catalog_row jsonb, language text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(catalog_row #>> ARRAY['labels', language], catalog_row ->> 'label')
$$;
COMMENT ON FUNCTION label_in(jsonb, text) IS 'The name of a row of a catalog in a language.';

-- Every row about the person of every table that refers to people, whatever tables come: complete by construction. What
-- identifies colleagues or opens something is left out, and so is the content of earlier exports.
CREATE FUNCTION data_subject_records(subject uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  referring record;
  found_rows jsonb;
  records jsonb := '{}';
BEGIN
  FOR referring IN
    SELECT DISTINCT c.relname::text AS name, c.oid::regclass::text AS quoted, quote_ident(a.attname) AS key,
           ARRAY(SELECT h.attname::text FROM pg_attribute h
                  WHERE h.attrelid = c.oid AND h.attnum > 0 AND NOT h.attisdropped
                    AND (h.atttypid = 'uuid'::regtype AND h.attname ~ '(_by|_to|user_id)$' OR h.atttypid = 'bytea'::regtype
                         OR c.relname = 'rights_request_documents' AND h.attname = 'content'
                         OR c.relname = 'outgoing_mails' AND h.attname IN ('subject', 'body'))) AS hidden
      FROM pg_constraint k
      JOIN pg_class c ON c.oid = k.conrelid
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
     WHERE k.contype = 'f' AND k.confrelid = 'data_subjects'::regclass AND k.conparentid = 0
     ORDER BY 1
  LOOP
    EXECUTE format('SELECT jsonb_agg(to_jsonb(t) - %L::text[]) FROM %s t WHERE t.%s = $1', referring.hidden, referring.quoted, referring.key)
      INTO found_rows USING subject;
    records := records || jsonb_build_object(referring.name, coalesce(found_rows, '[]'));
  END LOOP;
  RETURN records;
END $$;
COMMENT ON FUNCTION data_subject_records(uuid) IS 'All rows about a person, by table.';

CREATE FUNCTION data_subject_export(subject uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'exportedAt', now(),
    'language', l.language,
    'controller', jsonb_build_object(
      'name', c.title, 'address', concat_ws(', ', c.address, concat_ws(' ', c.postal_code, c.city), c.country),
      'dataProtectionOfficer', jsonb_build_object('name', c.dpo_name, 'email', c.dpo_email, 'phone', c.dpo_phone),
      'supervisoryAuthority', c.compliance_configuration ->> 'supervisoryAuthority'),
    'person', to_jsonb(s),
    'purposes', coalesce((
      SELECT jsonb_agg(jsonb_build_object(
        'title', p.title, 'description', p.description, 'legalBasis', p.legal_basis, 'retentionMonths', p.retention_months,
        'specialCategoryConditions', (SELECT jsonb_object_agg(i.label, i.special_category_condition) FROM data_controller_purpose_data_items i
                                       WHERE i.data_controller_processing_purpose_id = p.id AND i.special_category_condition IS NOT NULL),
        'data', (SELECT jsonb_agg(i.label ORDER BY i.label) FROM data_controller_purpose_data_items i WHERE i.data_controller_processing_purpose_id = p.id),
        'recipients', (SELECT jsonb_agg(jsonb_build_object(
                         'name', r.title, 'country', r.country,
                         'service', coalesce(to_jsonb(r) #>> ARRAY['services', l.language], r.service),
                         'safeguard', coalesce(to_jsonb(r) #>> ARRAY['safeguards', l.language], r.safeguard)) ORDER BY r.title)
                         FROM data_controller_purpose_processors a JOIN data_processors r ON r.id = a.data_processor_id
                        WHERE a.data_controller_processing_purpose_id = p.id)) ORDER BY p.position)
        FROM data_controller_processing_purposes p
       WHERE p.id IN (SELECT m.data_controller_processing_purpose_id FROM data_subject_data_mapping m WHERE m.data_subject_id = s.id)), '[]'),
    'consents', coalesce((
      SELECT jsonb_agg(jsonb_build_object('purpose', p.title, 'answer', v.value, 'since', v.valid_from, 'until', v.replaced_at,
                         'givenBy', v.given_by, 'form', v.form, 'purposeVersion', v.purpose_version, 'textDigest', v.text_digest) ORDER BY p.position, v.valid_from)
        FROM (SELECT f.data_controller_processing_purpose_id, f.value, f.updated_at AS valid_from, NULL::timestamptz AS replaced_at,
                     f.given_by, f.form, f.purpose_version, f.text_digest
                FROM data_subject_consent_form_values f WHERE f.data_subject_id = s.id
              UNION ALL
              SELECT f.data_controller_processing_purpose_id, h.value, h.valid_from, h.replaced_at, h.given_by, h.form, h.purpose_version, h.text_digest
                FROM data_subject_consent_history h
                JOIN data_subject_consent_form_values f ON f.id = h.data_subject_consent_form_value_id
               WHERE h.data_subject_id = s.id) v
        JOIN data_controller_processing_purposes p ON p.id = v.data_controller_processing_purpose_id), '[]'),
    'activities', coalesce((
      SELECT jsonb_agg(jsonb_build_object(
        'when', a.triggered_at, 'what', label_in(to_jsonb(t), l.language), 'source', label_in(to_jsonb(o), l.language),
        'data', (SELECT jsonb_agg(label_in(to_jsonb(f), l.language) ORDER BY f.code) FROM data_processing_activity_fields f WHERE f.id = ANY (a.field_ids)))
        ORDER BY a.triggered_at DESC, a.id)
        FROM data_processing_activities a
        JOIN data_processing_activity_types t ON t.id = a.type_id
        JOIN data_processing_activity_sources o ON o.id = a.source_id
       WHERE a.data_subject_id = s.id), '[]'),
    'sources', coalesce((
      SELECT jsonb_agg(DISTINCT label_in(to_jsonb(o), l.language))
        FROM data_processing_activities a JOIN data_processing_activity_sources o ON o.id = a.source_id
       WHERE a.data_subject_id = s.id), '[]'),
    'automatedDecisions', coalesce((c.compliance_configuration ->> 'automatedDecisions')::boolean, false),
    'rights', service_text('export.rights_text', l.language),
    'records', data_subject_records(s.id))
    FROM data_subjects s
    JOIN data_controllers c ON c.id = s.data_controller_id
    CROSS JOIN LATERAL (SELECT language_of_subject(s.id) AS language) l
   WHERE s.id = subject
$$;
COMMENT ON FUNCTION data_subject_export(uuid) IS 'What is held about a person, and what Article 15(1) GDPR wants to be told besides.';

-- ---------------------------------------------------------------------------------------------------------
-- The page
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION html_escape(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT replace(replace(replace(replace(replace(coalesce(value, ''), '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;')
$$;
COMMENT ON FUNCTION html_escape(text) IS 'Text for a page, in which nothing is markup.';

-- A heading with a table: an array of the columns' codes, and an array of arrays of texts.
CREATE FUNCTION html_section(heading text, language text, columns text[], "rows" jsonb) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT '<h2>' || html_escape(service_text(heading, language)) || E'</h2>\n'
      || CASE WHEN coalesce(jsonb_array_length("rows"), 0) = 0 THEN '<p>' || html_escape(service_text('export.none', language)) || E'</p>\n'
         ELSE '<div><table><thead><tr>'
           || (SELECT string_agg('<th scope="col">' || html_escape(service_text(c.code, language)) || '</th>', '' ORDER BY n) FROM unnest(columns) WITH ORDINALITY AS c (code, n))
           || E'</tr></thead><tbody>\n'
           || (SELECT string_agg('<tr>' || (SELECT string_agg('<td>' || html_escape(cell.text) || '</td>', '' ORDER BY cell.n)
                                              FROM jsonb_array_elements_text(line.cells) WITH ORDINALITY AS cell (text, n)) || E'</tr>\n', '' ORDER BY line.n)
                 FROM jsonb_array_elements("rows") WITH ORDINALITY AS line (cells, n))
           || E'</tbody></table></div>\n' END
$$;
COMMENT ON FUNCTION html_section(text, text, text[], jsonb) IS 'A table of the page, with its heading.';

CREATE FUNCTION long_time(moment timestamptz, language text, zone text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT long_date((moment AT TIME ZONE zone)::date, language) || ', ' || to_char(moment AT TIME ZONE zone, 'HH24:MI')
$$;
COMMENT ON FUNCTION long_time(timestamptz, text, text) IS 'A date in words, and the time.';

CREATE FUNCTION data_subject_page(export jsonb) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  lang CONSTANT text := export ->> 'language';
  zone CONSTANT text := time_zone_of(country_of_subject((export #>> '{person,id}')::uuid));
  officer CONSTANT jsonb := export #> '{controller,dataProtectionOfficer}';
  page text;
BEGIN
  page := format(E'<!doctype html>\n<html lang="%s">\n<head>\n<meta charset="utf-8">\n'
    '<meta http-equiv="Content-Security-Policy" content="default-src ''none''; style-src ''unsafe-inline''">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>%s</title>\n'
    '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}'
    'table{border-collapse:collapse;width:100%%;margin:.5rem 0 1.5rem}th,td{border:1px solid #767676;padding:.35rem .5rem;text-align:start;vertical-align:top;hyphens:auto}'
    'th{background:#eee}dt{font-weight:600}dd{margin:0 0 .5rem;overflow-wrap:anywhere}div{overflow-x:auto}</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n<p>%s</p>\n',
    html_escape(lang), html_escape(service_text('export.title', lang)), html_escape(service_text('export.title', lang)),
    html_escape(service_text('export.intro', lang, jsonb_build_object(
      'controller', export #>> '{controller,name}', 'day', long_date(((export ->> 'exportedAt')::timestamptz AT TIME ZONE zone)::date, lang)))));

  page := page || '<h2>' || html_escape(service_text('export.controller', lang)) || E'</h2>\n<p>'
    || html_escape(concat_ws(', ', export #>> '{controller,name}', export #>> '{controller,address}')) || '<br>'
    || html_escape(service_text('export.officer', lang) || ': ' || concat_ws(', ', officer ->> 'name', officer ->> 'email', officer ->> 'phone')) || E'</p>\n';

  page := page || '<h2>' || html_escape(service_text('export.person', lang)) || E'</h2>\n<dl>'
    || (SELECT string_agg('<dt>' || html_escape(service_text(f.code, lang)) || '</dt><dd>' || html_escape(coalesce(f.value, '–')) || '</dd>', '' ORDER BY f.n)
          FROM (VALUES
            (1, 'column.name', export #>> '{person,display_name}'),
            (2, 'column.email', export #>> '{person,email}'),
            (3, 'column.country', export #>> '{person,country}'),
            (4, 'column.language', CASE lang WHEN 'de' THEN 'Deutsch' WHEN 'nl' THEN 'Nederlands' ELSE 'English' END),
            (5, 'column.did', export #>> '{person,did}'),
            (6, 'column.since', long_date(((export #>> '{person,created_at}')::timestamptz AT TIME ZONE zone)::date, lang)),
            (7, 'column.do_not_track', service_text(CASE export #>> '{person,do_not_track}' WHEN 'true' THEN 'export.yes' ELSE 'export.no' END, lang)),
            (8, 'column.global_privacy_control', service_text(CASE export #>> '{person,global_privacy_control}' WHEN 'true' THEN 'export.yes' ELSE 'export.no' END, lang))
          ) AS f (n, code, value))
    || E'</dl>\n';

  page := page || html_section('export.purposes', lang, '{column.purpose,column.basis,column.retention,column.data}', (
    SELECT jsonb_agg(jsonb_build_array(
      p ->> 'title', service_text('basis.' || (p ->> 'legalBasis'), lang),
      CASE WHEN p ->> 'retentionMonths' IS NULL THEN service_text('export.relation', lang)
      ELSE service_text('export.months', lang, jsonb_build_object('months', p ->> 'retentionMonths')) END,
      (SELECT string_agg(d, ', ') FROM jsonb_array_elements_text(coalesce(nullif(p -> 'data', 'null'), '[]')) d)) ORDER BY n)
      FROM jsonb_array_elements(export -> 'purposes') WITH ORDINALITY AS e (p, n)));

  page := page || html_section('export.recipients', lang, '{column.recipient,column.service,column.country,column.safeguard}', (
    SELECT jsonb_agg(line ORDER BY line) FROM (
      SELECT DISTINCT jsonb_build_array(r ->> 'name', r ->> 'service', r ->> 'country', r ->> 'safeguard') AS line
        FROM jsonb_array_elements(export -> 'purposes') p, jsonb_array_elements(coalesce(nullif(p -> 'recipients', 'null'), '[]')) r) d));

  page := page || html_section('export.consents', lang, '{column.purpose,column.answer,column.when,column.until}', (
    SELECT jsonb_agg(jsonb_build_array(
      v ->> 'purpose', service_text(CASE v ->> 'answer' WHEN 'true' THEN 'export.yes' ELSE 'export.no' END, lang),
      long_time((v ->> 'since')::timestamptz, lang, zone), long_time((v ->> 'until')::timestamptz, lang, zone)) ORDER BY n)
      FROM jsonb_array_elements(export -> 'consents') WITH ORDINALITY AS e (v, n)));

  page := page || html_section('export.activities', lang, '{column.when,column.what,column.source,column.data}', (
    SELECT jsonb_agg(jsonb_build_array(
      long_time((a ->> 'when')::timestamptz, lang, zone), a ->> 'what', a ->> 'source',
      (SELECT string_agg(d, ', ') FROM jsonb_array_elements_text(coalesce(nullif(a -> 'data', 'null'), '[]')) d)) ORDER BY n)
      FROM jsonb_array_elements(export -> 'activities') WITH ORDINALITY AS e (a, n)));

  page := page || html_section('export.requests', lang, '{column.when,column.request,column.status,column.message,column.answer}', (
    SELECT jsonb_agg(jsonb_build_array(
      long_time((r ->> 'created_at')::timestamptz, lang, zone), service_text('request.' || (r ->> 'request_type'), lang),
      service_text('status.' || (r ->> 'status'), lang), r ->> 'description', coalesce(r ->> 'result', r ->> 'rejection_reason')) ORDER BY r ->> 'created_at')
      FROM jsonb_array_elements(export #> '{records,data_subject_rights_requests}') r));

  page := page || html_section('export.messages', lang, '{column.when,column.message,column.what}', (
    SELECT jsonb_agg(jsonb_build_array(long_time((m ->> 'created_at')::timestamptz, lang, zone), m ->> 'title', m ->> 'body') ORDER BY m ->> 'created_at')
      FROM jsonb_array_elements(export #> '{records,notification_messages}') m));

  page := page || html_section('export.sources', lang, '{column.source}', (
    SELECT jsonb_agg(jsonb_build_array(o)) FROM jsonb_array_elements_text(export -> 'sources') o));

  RETURN page || '<h2>' || html_escape(service_text('export.decisions', lang)) || E'</h2>\n<p>'
    || html_escape(service_text(CASE WHEN (export ->> 'automatedDecisions')::boolean THEN 'export.decisions_yes' ELSE 'export.decisions_no' END, lang)) || E'</p>\n<h2>'
    || html_escape(service_text('export.rights', lang)) || E'</h2>\n<p>' || html_escape(export ->> 'rights') || ' '
    || html_escape(service_text('export.complaint', lang, jsonb_build_object('authority', export #>> '{controller,supervisoryAuthority}')))
    || E'</p>\n</main>\n</body>\n</html>\n';
END $$;
COMMENT ON FUNCTION data_subject_page(jsonb) IS 'The export as a page that needs nothing else.';

CREATE FUNCTION attach_data_subject_export(request data_subject_rights_requests) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  export CONSTANT jsonb := data_subject_export(request.data_subject_id);
  lang CONSTANT text := export ->> 'language';
BEGIN
  INSERT INTO rights_request_documents (data_subject_rights_request_id, data_subject_id, title, media_type, content) VALUES
    (request.id, request.data_subject_id, service_text('export.title', lang), 'text/html', data_subject_page(export)),
    (request.id, request.data_subject_id, service_text('export.file', lang), 'application/json', jsonb_pretty(export));
  PERFORM finish_rights_request_step(request.id, request.request_type, 'done', NULL);
END $$;
COMMENT ON FUNCTION attach_data_subject_export(data_subject_rights_requests) IS 'Attaches what is held about a person to a request.';

-- The person, and whoever reads the person's records in the team.
CREATE FUNCTION export_data_subject_data(session json, data_subject_id uuid) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  subject ALIAS FOR $2;
  role CONSTANT text := session ->> 'x-gateway-role';
  export jsonb;
BEGIN
  IF NOT coalesce(
       role = 'admin'
       OR role = 'dataSubject' AND (session ->> 'x-gateway-data-subject-id')::uuid = subject
       OR role = 'user' AND EXISTS (
            SELECT FROM data_subjects s JOIN data_controller_users m ON m.data_controller_id = s.data_controller_id
             WHERE s.id = subject AND m.user_id = (session ->> 'x-gateway-user-id')::uuid AND m.status = 'active'), false) THEN
    RAISE EXCEPTION 'Access denied to data controller resources' USING ERRCODE = 'PT403';
  END IF;
  export := data_subject_export(subject);
  IF export IS NULL THEN
    RAISE EXCEPTION 'Access denied to data controller resources' USING ERRCODE = 'PT403';
  END IF;
  RETURN json_build_object('json', export, 'html', data_subject_page(export));
END $$;
COMMENT ON FUNCTION export_data_subject_data(json, uuid) IS 'Answers the action exportDataSubjectData.';

COMMIT;
