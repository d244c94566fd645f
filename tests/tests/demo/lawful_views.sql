-- What the statements of lawful.sql read: from when to when somebody agreed, and the texts of controllers and catalogs.

CREATE TEMP TABLE agreements AS
SELECT x.data_subject_id, b.title AS template, x.since, x.until
  FROM (SELECT v.data_subject_id, v.data_controller_processing_purpose_id AS purpose_id, v.value, v.updated_at AS since, 'infinity'::timestamptz AS until FROM data_subject_consent_form_values v
        UNION ALL
        SELECT h.data_subject_id, v.data_controller_processing_purpose_id, h.value, h.valid_from, h.replaced_at
          FROM data_subject_consent_history h JOIN data_subject_consent_form_values v ON v.id = h.data_subject_consent_form_value_id) x
  JOIN data_controller_purpose_template_links l ON l.data_controller_processing_purpose_id = x.purpose_id
  JOIN purpose_business_templates b ON b.id = l.purpose_business_template_id
 WHERE x.value = 'true';
CREATE INDEX ON agreements (data_subject_id, template);
ANALYZE agreements;

CREATE TEMP TABLE controller_texts AS
SELECT t.id, c.language, replace(replace(t.body, c.title, ''), coalesce(c.dpo_name, ''), '') AS body
  FROM data_controllers c
 CROSS JOIN LATERAL (
    SELECT c.id, concat_ws(' ', c.description, c.industry) AS body
    UNION ALL SELECT p.id, concat_ws(' ', p.title, p.description) FROM data_controller_processing_purposes p WHERE p.data_controller_id = c.id
    UNION ALL SELECT i.id, i.label FROM data_controller_purpose_data_items i JOIN data_controller_processing_purposes p ON p.id = i.data_controller_processing_purpose_id WHERE p.data_controller_id = c.id
    UNION ALL SELECT f.id, concat_ws(' ', f.question, f.answer) FROM data_controller_faqs f WHERE f.data_controller_id = c.id
    UNION ALL SELECT n.id, replace(concat_ws(' ', n.title, n.quick_look, n.overview, n."full"), c.address, '') FROM privacy_notices n WHERE n.data_controller_id = c.id) t;

CREATE TEMP TABLE catalog_texts AS
SELECT 'type ' || code AS code, labels AS texts, label AS english FROM data_processing_activity_types
UNION ALL SELECT 'type ' || code, comments, comment FROM data_processing_activity_types
UNION ALL SELECT 'source ' || code, labels, label FROM data_processing_activity_sources
UNION ALL SELECT 'field ' || code, labels, label FROM data_processing_activity_fields
UNION ALL SELECT 'field ' || code, comments, comment FROM data_processing_activity_fields
UNION ALL SELECT 'preference ' || code, labels, label FROM data_processing_preferences
UNION ALL SELECT 'preference ' || code, comments, comment FROM data_processing_preferences
UNION ALL SELECT 'service of ' || title, services, service FROM data_processors
UNION ALL SELECT 'safeguard of ' || title, safeguards, safeguard FROM data_processors
UNION ALL SELECT 'business template ' || title, labels, title FROM purpose_business_templates
UNION ALL SELECT 'business template ' || title, descriptions, description FROM purpose_business_templates
UNION ALL SELECT 'department of ' || title, departments, department FROM purpose_business_templates
UNION ALL SELECT 'operational template ' || title, labels, title FROM purpose_operational_templates
UNION ALL SELECT 'operational template ' || title, descriptions, description FROM purpose_operational_templates
UNION ALL SELECT 'system of ' || title, systems, system FROM purpose_operational_templates;
