-- The data map: what is recorded about a person, where it came from and when, which purposes it serves, and who processes
-- it. What a controller may process is not in it: that is in the purposes with their data items, which are public.

BEGIN;

-- One row for each kind of data, source and purpose; the purpose is null where the data serves none. The rows of one person
-- are found by indexes, and a list of many people stops at its limit, because each person's rows are made on their own.
--
-- An activity serves a purpose through the template of its type: the controller's active purposes that were made from the
-- template, and of those with consent only the ones that the person agrees to.
--
-- The language of a person who has the controller's was never told by the person, so it is no data of the map.
CREATE VIEW data_subject_data_mapping AS
SELECT s.id AS data_subject_id,
       s.data_controller_id,
       p.id AS data_controller_processing_purpose_id,
       p.title AS purpose_title,
       p.legal_basis,
       p.retention_months,
       m.data_item_id,
       m.labels ->> 'en' AS data_item_label,
       m.labels AS data_item_labels,
       m.category AS data_category,
       m.category = 'health' AS is_special,
       m.origin,
       m.origin_labels ->> 'en' AS origin_label,
       m.origin_labels,
       m.recorded_at,
       ARRAY(SELECT r.title || ' (' || r.country || ')'
               FROM data_controller_purpose_processors a
               JOIN data_processors r ON r.id = a.data_processor_id
              WHERE a.data_controller_processing_purpose_id = p.id
              ORDER BY r.title) AS processors
  FROM data_subjects s
  JOIN data_controllers c ON c.id = s.data_controller_id
  CROSS JOIN LATERAL (
    WITH touched AS (
      SELECT a.type_id, a.source_id, x.field_id, max(a.triggered_at) AS recorded_at
        FROM data_processing_activities a CROSS JOIN unnest(a.field_ids) AS x (field_id)
       WHERE a.data_subject_id = s.id
       GROUP BY a.type_id, a.source_id, x.field_id
    ), served AS (
      SELECT u.field_id, u.source_id, v.purpose_id,
             max(max(u.recorded_at)) OVER (PARTITION BY u.field_id, u.source_id) AS recorded_at,
             count(v.purpose_id) OVER (PARTITION BY u.field_id, u.source_id) AS purposes
        FROM touched u
        JOIN data_processing_activity_types t ON t.id = u.type_id
        LEFT JOIN LATERAL (
          SELECT q.id AS purpose_id
            FROM data_controller_purpose_template_links l
            JOIN data_controller_processing_purposes q ON q.id = l.data_controller_processing_purpose_id
           WHERE l.purpose_business_template_id = t.purpose_business_template_id
             AND q.data_controller_id = s.data_controller_id AND q.status = 'active'
             AND (NOT q.consent_required OR EXISTS (
                   SELECT FROM data_subject_consent_form_values k
                    WHERE k.data_subject_id = s.id AND k.data_controller_processing_purpose_id = q.id AND k.value = 'true'))
        ) v ON true
       GROUP BY u.field_id, u.source_id, v.purpose_id
    )
    SELECT 'activity' AS origin, o.labels AS origin_labels, f.id AS data_item_id, f.labels, f.category, r.purpose_id, r.recorded_at
      FROM served r
      JOIN data_processing_activity_fields f ON f.id = r.field_id
      JOIN data_processing_activity_sources o ON o.id = r.source_id
     WHERE r.purpose_id IS NOT NULL OR r.purposes = 0
    UNION ALL
    -- What the record of the person holds serves what the same kinds of data have served in activities.
    SELECT 'profile', '{"en": "Profile", "de": "Profil", "nl": "Profiel"}', NULL, i.labels::jsonb, i.category, w.purpose_id, s.updated_at
      FROM (VALUES
        (s.display_name IS NOT NULL, 'identity', '{"en": "Name", "de": "Name", "nl": "Naam"}', '{first_name,last_name}'::text[]),
        (s.email IS NOT NULL, 'contact', '{"en": "E-mail address", "de": "E-Mail-Adresse", "nl": "E-mailadres"}', '{email}'),
        (s.country IS NOT NULL, 'contact', '{"en": "Country", "de": "Land", "nl": "Land"}', '{postal_address}'),
        (s.language <> c.language, 'preference', '{"en": "Language", "de": "Sprache", "nl": "Taal"}', '{language}'),
        (s.do_not_track, 'preference', '{"en": "Signal Do Not Track", "de": "Signal „Do Not Track“", "nl": "Signaal Do Not Track"}', '{}'),
        (s.global_privacy_control, 'preference', '{"en": "Signal Global Privacy Control", "de": "Signal „Global Privacy Control“", "nl": "Signaal Global Privacy Control"}', '{}')
      ) AS i (is_held, category, labels, fields)
      LEFT JOIN LATERAL (
        SELECT DISTINCT r.purpose_id
          FROM served r JOIN data_processing_activity_fields f ON f.id = r.field_id
         WHERE f.code = ANY (i.fields) AND r.purpose_id IS NOT NULL
      ) w ON true
     WHERE i.is_held
    UNION ALL
    SELECT 'consent', CASE k.given_by
             WHEN 'colleague' THEN '{"en": "Entered by the team", "de": "Vom Team eingetragen", "nl": "Ingevoerd door het team"}'
             WHEN 'integration' THEN '{"en": "Reported by a connected service", "de": "Von einem verbundenen Dienst gemeldet", "nl": "Gemeld door een gekoppelde dienst"}'
             WHEN 'browser_signal' THEN '{"en": "Signal of the browser", "de": "Signal des Browsers", "nl": "Signaal van de browser"}'
             WHEN 'operator' THEN '{"en": "Entered by the operator", "de": "Vom Betreiber eingetragen", "nl": "Ingevoerd door de beheerder"}'
             ELSE '{"en": "Your choice", "de": "Ihre Entscheidung", "nl": "Uw keuze"}' END::jsonb, NULL,
           CASE k.value WHEN 'true'
             THEN jsonb_build_object('en', 'Consent given: ' || q.title, 'de', 'Einwilligung erteilt: ' || q.title, 'nl', 'Toestemming gegeven: ' || q.title)
             ELSE jsonb_build_object('en', 'No consent: ' || q.title, 'de', 'Keine Einwilligung: ' || q.title, 'nl', 'Geen toestemming: ' || q.title)
           END,
           'preference', CASE WHEN k.value = 'true' AND q.status = 'active' THEN q.id END, k.updated_at
      FROM data_subject_consent_form_values k
      JOIN data_controller_processing_purposes q ON q.id = k.data_controller_processing_purpose_id
     WHERE k.data_subject_id = s.id
    UNION ALL
    SELECT 'rights_request', '{"en": "Your request", "de": "Ihre Anfrage", "nl": "Uw verzoek"}', NULL, n.labels::jsonb, 'contact', NULL, max(r.updated_at)
      FROM data_subject_rights_requests r
      JOIN (VALUES
        ('access', '{"en": "Request for access", "de": "Antrag auf Auskunft", "nl": "Verzoek om inzage"}'),
        ('erasure', '{"en": "Request for erasure", "de": "Antrag auf Löschung", "nl": "Verzoek om verwijdering"}'),
        ('deletion', '{"en": "Request for deletion", "de": "Antrag auf Löschung der Daten", "nl": "Verzoek om verwijdering van gegevens"}'),
        ('rectification', '{"en": "Request for rectification", "de": "Antrag auf Berichtigung", "nl": "Verzoek om rectificatie"}'),
        ('portability', '{"en": "Request for portability", "de": "Antrag auf Übertragung", "nl": "Verzoek om overdracht"}'),
        ('restriction', '{"en": "Request for restriction", "de": "Antrag auf Einschränkung", "nl": "Verzoek om beperking"}'),
        ('objection', '{"en": "Objection", "de": "Widerspruch", "nl": "Bezwaar"}')
      ) AS n (request_type, labels) ON n.request_type = r.request_type
     WHERE r.data_subject_id = s.id
     GROUP BY n.labels
  ) m
  LEFT JOIN data_controller_processing_purposes p ON p.id = m.purpose_id;
COMMENT ON VIEW data_subject_data_mapping IS 'Which data about a person is recorded, where it came from, which purposes it serves, and which processors have access.';
COMMENT ON COLUMN data_subject_data_mapping.data_subject_id IS 'The person.';
COMMENT ON COLUMN data_subject_data_mapping.data_controller_id IS 'The controller that holds the data.';
COMMENT ON COLUMN data_subject_data_mapping.data_controller_processing_purpose_id IS 'The active purpose served; null where the data serves none.';
COMMENT ON COLUMN data_subject_data_mapping.purpose_title IS 'The purpose''s name.';
COMMENT ON COLUMN data_subject_data_mapping.legal_basis IS 'The purpose''s legal basis under Article 6 GDPR.';
COMMENT ON COLUMN data_subject_data_mapping.retention_months IS 'How long the data is kept for the purpose, in months.';
COMMENT ON COLUMN data_subject_data_mapping.data_item_id IS 'The field (data_processing_activity_fields), for what activities recorded.';
COMMENT ON COLUMN data_subject_data_mapping.data_item_label IS 'What the data is, in English.';
COMMENT ON COLUMN data_subject_data_mapping.data_item_labels IS 'What the data is, by language: en, de, nl.';
COMMENT ON COLUMN data_subject_data_mapping.data_category IS 'The category of the data.';
COMMENT ON COLUMN data_subject_data_mapping.is_special IS 'Whether it belongs to a special category of Article 9 GDPR.';
COMMENT ON COLUMN data_subject_data_mapping.origin IS 'What it was recorded by: profile, activity, consent or rights_request.';
COMMENT ON COLUMN data_subject_data_mapping.origin_label IS 'Where it came from, e.g. "Web shop", in English.';
COMMENT ON COLUMN data_subject_data_mapping.origin_labels IS 'Where it came from, by language: en, de, nl.';
COMMENT ON COLUMN data_subject_data_mapping.recorded_at IS 'When it was last recorded.';
COMMENT ON COLUMN data_subject_data_mapping.processors IS 'The processors with access for the purpose, with the country where they process.';

COMMIT;
