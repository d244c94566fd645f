-- What must hold of the sample data. Each statement follows the sentence that it checks, and finds the rows that break it.

-- Nothing lies in the future.
SELECT id::text FROM data_processing_activities WHERE triggered_at > now()
UNION ALL SELECT id::text FROM data_subjects WHERE created_at > now() OR updated_at > now()
UNION ALL SELECT id::text FROM data_subject_consent_form_values WHERE created_at > now() OR updated_at > now()
UNION ALL SELECT id::text FROM data_subject_rights_requests WHERE created_at > now() OR updated_at > now() OR closed_at > now()
UNION ALL SELECT id::text FROM notification_messages WHERE created_at > now() OR updated_at > now()
UNION ALL SELECT id::text FROM privacy_notices WHERE created_at > now() OR published_at > now() OR updated_at > now()
UNION ALL SELECT id::text FROM data_controllers WHERE created_at > now() OR updated_at > now()
UNION ALL SELECT id::text FROM data_controller_faqs WHERE created_at > now() OR updated_at > now()
UNION ALL SELECT id::text FROM data_controller_processing_purposes WHERE created_at > now() OR updated_at > now()
UNION ALL SELECT id::text FROM data_controller_users WHERE created_at > now() OR updated_at > now()
UNION ALL SELECT id::text FROM users WHERE created_at > now() OR updated_at > now() OR last_seen_at > now();

-- The data is of today: people came, acted and asked within the last two days.
SELECT t.what FROM (VALUES ('activities', (SELECT max(triggered_at) FROM data_processing_activities)), ('people', (SELECT max(created_at) FROM data_subjects)),
  ('requests', (SELECT max(created_at) FROM data_subject_rights_requests)), ('messages', (SELECT max(created_at) FROM notification_messages)),
  ('consents', (SELECT max(updated_at) FROM data_subject_consent_form_values))) AS t (what, newest)
 WHERE t.newest < now() - interval '2 days';

-- A newsletter is sent and opened only while the person agrees to it.
SELECT a.id FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id AND t.code IN ('newsletter_sent', 'newsletter_opened')
 WHERE NOT EXISTS (SELECT FROM agreements g WHERE g.data_subject_id = a.data_subject_id AND g.template = 'E-mail newsletter' AND g.since <= a.triggered_at AND g.until >= a.triggered_at);

-- A page view is counted only while the person agrees to statistics.
SELECT a.id FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id AND t.code = 'page_view'
 WHERE NOT EXISTS (SELECT FROM agreements g WHERE g.data_subject_id = a.data_subject_id AND g.template = 'Usage statistics' AND g.since <= a.triggered_at AND g.until >= a.triggered_at);

-- A survey is answered only by who agrees to surveys.
SELECT a.id FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id AND t.code = 'survey_answered'
 WHERE NOT EXISTS (SELECT FROM agreements g WHERE g.data_subject_id = a.data_subject_id AND g.template = 'Customer surveys' AND g.since <= a.triggered_at AND g.until >= a.triggered_at);

-- Health data that rests on consent is recorded only while the person agrees.
SELECT a.id FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id AND t.code = 'treatment_recorded'
  JOIN data_subjects s ON s.id = a.data_subject_id
  JOIN data_controller_processing_purposes p ON p.data_controller_id = s.data_controller_id AND p.status = 'active' AND p.legal_basis = 'consent'
  JOIN data_controller_purpose_template_links l ON l.data_controller_processing_purpose_id = p.id AND l.purpose_business_template_id = t.purpose_business_template_id
 WHERE NOT EXISTS (SELECT FROM agreements g WHERE g.data_subject_id = a.data_subject_id AND g.template = 'Treatment and care' AND g.since <= a.triggered_at AND g.until >= a.triggered_at);

-- The activities "Consent given" and "Consent withdrawn" are the answers that people gave, neither more nor fewer.
SELECT coalesce(a.id::text, g.data_subject_id::text) FROM
  (SELECT a.id, a.data_subject_id, a.triggered_at, t.code FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id WHERE t.code IN ('consent_given', 'consent_withdrawn')) a
  FULL JOIN (SELECT w.data_subject_id, w.at, CASE w.value WHEN 'true' THEN 'consent_given' ELSE 'consent_withdrawn' END AS code FROM
    (SELECT x.*, lag(x.value) OVER (PARTITION BY x.consent_id ORDER BY x.at) AS former FROM
      (SELECT v.id AS consent_id, v.data_subject_id, v.updated_at AS at, v.value FROM data_subject_consent_form_values v
       UNION ALL SELECT h.data_subject_consent_form_value_id, h.data_subject_id, h.valid_from, h.value FROM data_subject_consent_history h) x) w
     WHERE w.value = 'true' OR w.former = 'true') g
    ON g.data_subject_id = a.data_subject_id AND g.at = a.triggered_at AND g.code = a.code
 WHERE a.id IS NULL OR g.data_subject_id IS NULL;

-- A consent that was changed has a history, without gaps.
SELECT v.id FROM data_subject_consent_form_values v
 WHERE v.updated_at > v.created_at AND NOT EXISTS (SELECT FROM data_subject_consent_history h WHERE h.data_subject_consent_form_value_id = v.id AND h.replaced_at = v.updated_at)
    OR v.updated_at > v.created_at AND NOT EXISTS (SELECT FROM data_subject_consent_history h WHERE h.data_subject_consent_form_value_id = v.id AND h.valid_from = v.created_at);

-- A consent names the text that was shown: the notice that was in force, and the digest of purpose and notice.
SELECT v.id FROM (SELECT id, data_controller_processing_purpose_id AS purpose_id, updated_at AS at, given_by, privacy_notice_id, text_digest, purpose_version FROM data_subject_consent_form_values
       UNION ALL SELECT h.id, v.data_controller_processing_purpose_id, h.valid_from, h.given_by, h.privacy_notice_id, h.text_digest, h.purpose_version
         FROM data_subject_consent_history h JOIN data_subject_consent_form_values v ON v.id = h.data_subject_consent_form_value_id) v
  JOIN data_controller_processing_purposes p ON p.id = v.purpose_id
 WHERE v.purpose_version <> p.version
    OR v.given_by IN ('person', 'visitor', 'colleague') AND (v.privacy_notice_id IS DISTINCT FROM notice_in_force(p.data_controller_id, v.at) OR v.text_digest IS DISTINCT FROM consent_text_digest(p.id, v.privacy_notice_id));

-- Consent is asked for active purposes of the person's own controller, and only where consent is the legal basis.
SELECT v.id FROM data_subject_consent_form_values v JOIN data_subjects s ON s.id = v.data_subject_id JOIN data_controller_processing_purposes p ON p.id = v.data_controller_processing_purpose_id
 WHERE p.data_controller_id <> s.data_controller_id OR p.status <> 'active' OR NOT p.consent_required OR v.created_at < p.created_at;

-- Where the controller honours Global Privacy Control, no purpose that respects it is on for a person who sends it.
SELECT v.id FROM data_subject_consent_form_values v JOIN data_subjects s ON s.id = v.data_subject_id AND s.global_privacy_control
  JOIN data_controllers c ON c.id = s.data_controller_id AND (c.compliance_configuration -> 'honoursGlobalPrivacyControl')::boolean
  JOIN data_controller_processing_purposes p ON p.id = v.data_controller_processing_purpose_id AND p.respects_global_privacy_control
 WHERE v.value = 'true';

-- A consent is not older than the controller's time for renewing, plus the month in which the person may answer.
SELECT v.id FROM data_subject_consent_form_values v JOIN data_subjects s ON s.id = v.data_subject_id JOIN data_controllers c ON c.id = s.data_controller_id
 WHERE v.value = 'true' AND v.updated_at + make_interval(months => (c.compliance_configuration -> 'consentRenewalMonths')::int, days => 30) < now();

-- Nobody without an address has agreed to a newsletter.
SELECT v.id FROM data_subject_consent_form_values v JOIN data_subjects s ON s.id = v.data_subject_id AND s.email IS NULL
  JOIN data_controller_purpose_template_links l ON l.data_controller_processing_purpose_id = v.data_controller_processing_purpose_id
  JOIN purpose_business_templates b ON b.id = l.purpose_business_template_id AND b.title = 'E-mail newsletter'
 WHERE v.value = 'true';

-- Who was erased has no name, no address and no country.
SELECT s.id FROM data_subjects s JOIN data_subject_rights_requests r ON r.data_subject_id = s.id AND r.request_type IN ('erasure', 'deletion') AND r.status = 'completed'
 WHERE num_nonnulls(s.display_name, s.email, s.country) > 0;

-- After an erasure nothing is recorded, and of before there is only what has to be kept.
SELECT a.id FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id
  JOIN data_subject_rights_requests r ON r.data_subject_id = a.data_subject_id AND r.request_type IN ('erasure', 'deletion') AND r.status = 'completed'
 WHERE a.triggered_at > r.closed_at OR t.code NOT IN ('payment_received', 'invoice_sent', 'consent_given', 'consent_withdrawn', 'data_exported', 'data_erased', 'treatment_recorded');

-- Nobody who was erased still agrees to something.
SELECT v.id FROM data_subject_consent_form_values v JOIN data_subject_rights_requests r ON r.data_subject_id = v.data_subject_id AND r.request_type IN ('erasure', 'deletion') AND r.status = 'completed'
 WHERE v.value = 'true';

-- No activity is kept longer than the purpose that its type serves, and each has such a purpose.
SELECT a.id FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id JOIN data_subjects s ON s.id = a.data_subject_id
 WHERE NOT EXISTS (SELECT FROM data_controller_processing_purposes p JOIN data_controller_purpose_template_links l ON l.data_controller_processing_purpose_id = p.id
                    WHERE p.data_controller_id = s.data_controller_id AND p.status = 'active' AND l.purpose_business_template_id = t.purpose_business_template_id
                      AND a.triggered_at > now() - make_interval(months => p.retention_months));

-- No activity is older than the person's first meeting with the controller, and no person older than the controller.
SELECT a.id FROM data_processing_activities a JOIN data_subjects s ON s.id = a.data_subject_id WHERE a.triggered_at < s.created_at
UNION ALL SELECT s.id FROM data_subjects s JOIN data_controllers c ON c.id = s.data_controller_id WHERE s.created_at < c.created_at;

-- Every payment follows an order of the person, and every invoice a payment, unless the order was erased.
SELECT s.id FROM data_subjects s
  JOIN LATERAL (SELECT count(*) FILTER (WHERE t.code = 'order_placed') AS orders, count(*) FILTER (WHERE t.code = 'payment_received') AS payments, count(*) FILTER (WHERE t.code = 'invoice_sent') AS invoices,
                       min(a.triggered_at) FILTER (WHERE t.code = 'order_placed') AS ordered_at, min(a.triggered_at) FILTER (WHERE t.code = 'payment_received') AS paid_at, min(a.triggered_at) FILTER (WHERE t.code = 'invoice_sent') AS invoiced_at
                  FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id WHERE a.data_subject_id = s.id) a ON true
 WHERE NOT EXISTS (SELECT FROM data_subject_rights_requests r WHERE r.data_subject_id = s.id AND r.erased_at IS NOT NULL)
   AND (a.payments > a.orders OR a.invoices > a.payments OR a.paid_at < a.ordered_at OR a.invoiced_at < a.paid_at OR a.payments > 0 AND a.orders = 0 OR a.invoices > 0 AND a.payments = 0);

-- Only hotels, travel agencies, ferries, theatres and event hire have a reservation system.
SELECT a.id FROM data_processing_activities a JOIN data_processing_activity_sources o ON o.id = a.source_id AND o.code = 'reservation_system'
  JOIN data_subjects s ON s.id = a.data_subject_id JOIN data_controllers c ON c.id = s.data_controller_id
 WHERE c.industry NOT IN ('Hospitality', 'Horeca', 'Gastgewerbe', 'Travel', 'Reisen', 'Reizen', 'Transport', 'Vervoer', 'Verkehr', 'Culture', 'Kultur', 'Cultuur', 'Events', 'Veranstaltungen', 'Evenementen');

-- A field of a special category is recorded only where the controller has a purpose with a condition of Article 9(2).
SELECT a.id FROM data_processing_activities a JOIN data_processing_activity_types t ON t.id = a.type_id JOIN data_subjects s ON s.id = a.data_subject_id
 WHERE EXISTS (SELECT FROM data_processing_activity_fields f WHERE f.id = ANY (a.field_ids) AND f.is_special)
   AND NOT EXISTS (SELECT FROM data_controller_processing_purposes p JOIN data_controller_purpose_template_links l ON l.data_controller_processing_purpose_id = p.id
                    JOIN data_controller_purpose_data_items i ON i.data_controller_processing_purpose_id = p.id AND i.is_special AND i.special_category_condition IS NOT NULL
                    WHERE p.data_controller_id = s.data_controller_id AND p.status = 'active' AND l.purpose_business_template_id = t.purpose_business_template_id);

-- Every item of a special category has a condition of Article 9(2), and contract alone is none.
SELECT i.id::text FROM data_controller_purpose_data_items i WHERE i.is_special AND i.special_category_condition IS NULL
UNION ALL SELECT i.id::text FROM data_controller_purpose_data_items i JOIN data_controller_processing_purposes p ON p.id = i.data_controller_processing_purpose_id
 WHERE i.special_category_condition = 'explicit_consent' AND p.legal_basis <> 'consent';

-- Who treats or cares for people has a purpose with health data.
SELECT c.id FROM data_controllers c
 WHERE c.industry IN ('Health care', 'Gesundheitswesen', 'Gezondheidszorg', 'Apotheken', 'Kinderopvang')
   AND NOT EXISTS (SELECT FROM data_controller_processing_purposes p JOIN data_controller_purpose_template_links l ON l.data_controller_processing_purpose_id = p.id
                    JOIN purpose_business_templates b ON b.id = l.purpose_business_template_id AND b.title = 'Treatment and care'
                    JOIN data_controller_purpose_data_items i ON i.data_controller_processing_purpose_id = p.id AND i.is_special WHERE p.data_controller_id = c.id AND p.status = 'active');

-- At most three requests are overdue, and the person, the assigned member and an Administrator have been told of each.
SELECT w.id FROM rights_request_workflows w
 WHERE w.state <> 'closed' AND w.due_at < now()
   AND (w.escalated_at IS NULL OR NOT EXISTS (SELECT FROM team_reminders m WHERE m.rights_request_workflow_id = w.id AND m.kind = 'overdue' AND m.user_id = w.assigned_to)
        OR NOT EXISTS (SELECT FROM notification_messages n WHERE n.data_subject_id = w.data_subject_id AND n.kind = 'rights_request' AND n.created_at >= w.due_at)
        OR 3 < (SELECT count(*) FROM rights_request_workflows o WHERE o.state <> 'closed' AND o.due_at < now()));

-- Every closed request was closed before its deadline.
SELECT w.id FROM rights_request_workflows w WHERE w.closed_at > w.due_at;

-- Every request has a workflow with three steps, assigned to a member who may edit.
SELECT r.id FROM data_subject_rights_requests r JOIN data_subjects s ON s.id = r.data_subject_id
  LEFT JOIN rights_request_workflows w ON w.data_subject_rights_request_id = r.id
 WHERE w.id IS NULL OR (SELECT count(*) FROM rights_request_tasks t WHERE t.rights_request_workflow_id = w.id) <> 3
    OR NOT EXISTS (SELECT FROM data_controller_users m WHERE m.user_id = w.assigned_to AND m.data_controller_id = s.data_controller_id AND m.status = 'active' AND m.role IN ('Editor', 'Administrator'));

-- Deadlines are a month, or three months if extended, in working days of the controller's country.
SELECT w.id FROM rights_request_workflows w JOIN data_subject_rights_requests r ON r.id = w.data_subject_rights_request_id JOIN data_subjects s ON s.id = r.data_subject_id JOIN data_controllers c ON c.id = s.data_controller_id
 WHERE w.due_at <> deadline(r.created_at, CASE WHEN w.extended_at IS NULL THEN 1 ELSE 3 END, c.country) OR w.extended_at > deadline(r.created_at, 1, c.country);

-- A completed request was verified before, and has an answer; a rejected one has a reason.
SELECT r.id FROM data_subject_rights_requests r
 WHERE r.status = 'completed' AND (r.verified_at IS NULL OR r.verified_at > r.closed_at OR r.identity_evidence IS NULL OR r.result IS NULL
         OR r.request_type IN ('access', 'portability') AND NOT EXISTS (SELECT FROM rights_request_documents d WHERE d.data_subject_rights_request_id = r.id)
         OR r.request_type IN ('erasure', 'deletion') AND r.erased_at IS NULL)
    OR r.status = 'rejected' AND r.rejection_reason IS NULL;

-- The steps agree with the request: what is closed has no open step, and no answer was given before the identity was checked.
SELECT t.id FROM rights_request_tasks t JOIN rights_request_workflows w ON w.id = t.rights_request_workflow_id JOIN data_subject_rights_requests r ON r.id = w.data_subject_rights_request_id
 WHERE (r.closed_at IS NOT NULL) <> (w.state = 'closed') OR t.state = 'open' AND w.state = 'closed' OR t.done_at > coalesce(r.closed_at, now())
    OR t.code = 'identity' AND (t.state = 'done') <> r.verified OR t.code = 'answer' AND t.state = 'done' AND r.status NOT IN ('completed', 'rejected');

-- Every request was acknowledged when it came in, and every closed one answered; no other message says so.
SELECT coalesce(r.id, n.id) FROM (SELECT r.id, r.data_subject_id, e.at, e.code FROM data_subject_rights_requests r CROSS JOIN LATERAL (VALUES ('received', r.created_at), (r.status, r.closed_at)) AS e (code, at) WHERE e.at IS NOT NULL) r
  FULL JOIN (SELECT n.id, n.data_subject_id, n.created_at, split_part(t.code, '.', 1) AS code FROM notification_messages n JOIN data_subjects s ON s.id = n.data_subject_id
              JOIN service_texts t ON t.code IN ('received.title', 'completed.title', 'rejected.title', 'withdrawn.title') AND n.title = CASE s.language WHEN 'de' THEN t.de WHEN 'nl' THEN t.nl ELSE t.en END
             WHERE n.kind = 'rights_request') n
    ON n.data_subject_id = r.data_subject_id AND n.code = r.code AND n.created_at BETWEEN r.at AND r.at + interval '1 minute'
 WHERE r.id IS NULL OR n.id IS NULL;

-- "Please renew your consent" goes to people whose consent is as old as the controller's time for renewing.
SELECT n.id FROM notification_messages n JOIN data_subjects s ON s.id = n.data_subject_id JOIN data_controllers c ON c.id = s.data_controller_id
 WHERE n.title IN ('Please renew your consent', 'Bitte erneuern Sie Ihre Einwilligung', 'Wilt u uw toestemming vernieuwen?')
   AND NOT EXISTS (SELECT FROM agreements g WHERE g.data_subject_id = s.id AND g.since + make_interval(months => (c.compliance_configuration -> 'consentRenewalMonths')::int) <= n.created_at AND g.until > n.created_at);

-- A message is in the person's language.
SELECT n.id FROM notification_messages n JOIN data_subjects s ON s.id = n.data_subject_id
 WHERE (n.title || ' ' || n.body) ~* CASE s.language
   WHEN 'de' THEN '\m(the|your|you|and|which|here|has|een|het|uw|wij|niet|zijn)\M' WHEN 'nl' THEN '\m(the|your|you|and|which|here|has|der|und|nicht|ihre|wir|haben)\M' ELSE '\m(der|und|nicht|ihre|wir|haben|een|het|uw|wij|niet|zijn)\M' END;

-- A request is written in the person's language.
SELECT r.id FROM data_subject_rights_requests r JOIN data_subjects s ON s.id = r.data_subject_id
 WHERE concat_ws(' ', r.description, r.result, r.rejection_reason, r.identity_evidence) ~* CASE s.language
   WHEN 'de' THEN '\m(the|your|you|and|which|here|has|een|het|uw|wij|niet|zijn)\M' WHEN 'nl' THEN '\m(the|your|you|and|which|here|has|der|und|nicht|ihre|wir|haben)\M' ELSE '\m(der|und|nicht|ihre|wir|haben|een|het|uw|wij|niet|zijn)\M' END;

-- A membership is not older than its account, nor than the controller.
SELECT m.id FROM data_controller_users m JOIN users u ON u.id = m.user_id JOIN data_controllers c ON c.id = m.data_controller_id WHERE m.created_at < u.created_at OR m.created_at < c.created_at;

-- Every team has an active Administrator.
SELECT c.id FROM data_controllers c WHERE NOT EXISTS (SELECT FROM data_controller_users m WHERE m.data_controller_id = c.id AND m.role = 'Administrator' AND m.status = 'active');

-- FAQ and notice speak of Global Privacy Control where the controller honours it, and nowhere else.
SELECT c.id FROM data_controllers c
 WHERE (c.compliance_configuration -> 'honoursGlobalPrivacyControl')::boolean <> EXISTS (SELECT FROM data_controller_faqs f WHERE f.data_controller_id = c.id AND f.published AND f.question || f.answer ~ 'Global Privacy Control')
    OR (c.compliance_configuration -> 'honoursGlobalPrivacyControl')::boolean <> EXISTS (SELECT FROM privacy_notices n WHERE n.data_controller_id = c.id AND n.published AND n."full" ~ 'Global Privacy Control');

-- FAQ and notice say where to complain, with the name of the authority.
SELECT c.id FROM data_controllers c
 WHERE NOT EXISTS (SELECT FROM data_controller_faqs f WHERE f.data_controller_id = c.id AND f.published AND f.answer LIKE '%' || (c.compliance_configuration ->> 'supervisoryAuthority') || '%')
    OR NOT EXISTS (SELECT FROM privacy_notices n WHERE n.data_controller_id = c.id AND n.published AND n."full" LIKE '%' || (c.compliance_configuration ->> 'supervisoryAuthority') || '%')
    OR c.compliance_configuration ->> 'supervisoryAuthority' = 'Landesbeauftragte für den Datenschutz';

-- FAQ and notice tell of automated decisions, with the right to a human review, where the controller makes them.
SELECT c.id FROM data_controllers c WHERE (c.compliance_configuration -> 'automatedDecisions')::boolean
   AND (NOT EXISTS (SELECT FROM data_controller_faqs f WHERE f.data_controller_id = c.id AND f.published AND f.question ~* 'automati[sc]|geautomatiseerd' AND f.answer ~ 'member of staff|ein Mensch|medewerker')
    OR NOT EXISTS (SELECT FROM privacy_notices n WHERE n.data_controller_id = c.id AND n.published AND n."full" ~ 'member of staff|ein Mensch|medewerker'));

-- FAQ and notice tell of children where the controller processes their data, and nowhere else.
SELECT c.id FROM data_controllers c
 WHERE (c.compliance_configuration -> 'childrensData')::boolean <> EXISTS (SELECT FROM data_controller_faqs f WHERE f.data_controller_id = c.id AND f.published AND f.question ~ 'children|Kindern|kinderen')
    OR (c.compliance_configuration -> 'childrensData')::boolean <> EXISTS (SELECT FROM privacy_notices n WHERE n.data_controller_id = c.id AND n.published AND n."full" ~ '\d\. (Children|Kinder|Kinderen)\n');

-- A published notice names every active purpose, and its main points too.
SELECT p.id FROM data_controller_processing_purposes p JOIN privacy_notices n ON n.data_controller_id = p.data_controller_id AND n.published
 WHERE p.status = 'active' AND (strpos(n."full", p.title || ': ' || p.description) = 0 OR strpos(n.overview, p.title) = 0);

-- A published notice names no purpose that is a draft or retired.
SELECT p.id FROM data_controller_processing_purposes p JOIN privacy_notices n ON n.data_controller_id = p.data_controller_id AND n.published
 WHERE p.status <> 'active' AND strpos(n."full", p.title) > 0;

-- A published notice and the FAQ say for each purpose the months or years that the purpose has.
SELECT p.id FROM data_controller_processing_purposes p JOIN data_controllers c ON c.id = p.data_controller_id
 CROSS JOIN LATERAL (SELECT p.title || ': ' || CASE WHEN p.retention_months = 1 THEN CASE c.language WHEN 'de' THEN 'einen Monat' WHEN 'nl' THEN 'een maand' ELSE 'a month' END
    WHEN p.retention_months > 12 AND p.retention_months % 12 = 0 THEN p.retention_months / 12 || CASE c.language WHEN 'de' THEN ' Jahre' WHEN 'nl' THEN ' jaar' ELSE ' years' END
    ELSE p.retention_months || CASE c.language WHEN 'de' THEN ' Monate' WHEN 'nl' THEN ' maanden' ELSE ' months' END END AS line) x
 WHERE p.status = 'active' AND (x.line IS NULL
   OR NOT EXISTS (SELECT FROM privacy_notices n WHERE n.data_controller_id = c.id AND n.published AND n."full" LIKE '%' || x.line || E'\n%')
   OR NOT EXISTS (SELECT FROM data_controller_faqs f WHERE f.data_controller_id = c.id AND f.published AND f.answer || E'\n' LIKE '%' || x.line || E'\n%'));

-- Invoices are kept as long as the law of the country says: eight years in Germany, seven in the Netherlands, six in the United Kingdom.
SELECT p.id FROM data_controller_processing_purposes p JOIN data_controllers c ON c.id = p.data_controller_id
  JOIN data_controller_purpose_template_links l ON l.data_controller_processing_purpose_id = p.id JOIN purpose_business_templates b ON b.id = l.purpose_business_template_id AND b.title = 'Statutory bookkeeping'
 WHERE p.retention_months <> CASE c.country WHEN 'DE' THEN 96 WHEN 'NL' THEN 84 ELSE 72 END;

-- A published notice names every processor of an active purpose, and what permits a transfer.
SELECT d.id FROM data_controller_processing_purposes p JOIN data_controllers c ON c.id = p.data_controller_id JOIN data_controller_purpose_processors a ON a.data_controller_processing_purpose_id = p.id
  JOIN data_processors d ON d.id = a.data_processor_id JOIN privacy_notices n ON n.data_controller_id = c.id AND n.published
 WHERE p.status = 'active' AND (strpos(n."full", d.title) = 0 OR d.country = 'US' AND strpos(n."full", CASE WHEN c.country = 'GB' THEN d.safeguards ->> 'en' ELSE d.safeguards ->> c.language END) = 0);

-- A published notice names the controller, its address and its data protection officer.
SELECT n.id FROM privacy_notices n JOIN data_controllers c ON c.id = n.data_controller_id
 WHERE n.published AND NOT (n."full" LIKE '%' || c.title || ', ' || c.address || '%' AND strpos(n."full", c.dpo_name) > 0 AND strpos(n."full", c.dpo_email) > 0
   AND strpos(n."full", CASE c.country WHEN 'GB' THEN c.city || ' ' || c.postal_code ELSE c.postal_code || ' ' || c.city END) > 0);

-- Every active purpose has data items and a processor or a reason to have none.
SELECT p.id FROM data_controller_processing_purposes p WHERE p.status = 'active'
   AND (NOT EXISTS (SELECT FROM data_controller_purpose_data_items i WHERE i.data_controller_processing_purpose_id = p.id) OR NOT EXISTS (SELECT FROM data_controller_purpose_processors a WHERE a.data_controller_processing_purpose_id = p.id));

-- What a German controller says has no English and no Dutch words.
SELECT t.id FROM controller_texts t WHERE t.language = 'de'
   AND t.body ~* '\m(the|and|your|you|our|with|which|for|from|how|does|are|have|customer|address|account|een|het|uw|wij|voor|niet|naar|gegevens|met|zijn)\M';

-- What a Dutch controller says has no English and no German words.
SELECT t.id FROM controller_texts t WHERE t.language = 'nl'
   AND t.body ~* '\m(the|and|your|you|our|with|which|for|from|how|does|are|have|customer|address|der|und|nicht|wir|ihre|ihr|sie|eine|mit|daten|auf)\M';

-- What an English-speaking controller says has no German and no Dutch words.
SELECT t.id FROM controller_texts t WHERE t.language = 'en'
   AND t.body ~* '\m(der|und|nicht|wir|ihre|ihr|sie|eine|daten|een|het|uw|wij|voor|niet|naar|gegevens)\M';

-- Every label of the catalogs is there in three languages, and the English one is the text of old.
SELECT l.code FROM catalog_texts l WHERE NOT (l.texts ?& '{en,de,nl}') OR l.texts ->> 'en' IS DISTINCT FROM l.english;

-- The languages of a label differ, but for words that are the same in two of them.
SELECT l.code FROM catalog_texts l WHERE l.texts ->> 'en' = l.texts ->> 'de' AND l.texts ->> 'en' = l.texts ->> 'nl' AND length(l.texts ->> 'en') > 12
UNION ALL SELECT l.code FROM catalog_texts l WHERE l.texts ->> 'de' ~* '\m(the|and|of|by|with|een|het)\M' AND l.texts ->> 'de' !~ 'Data Privacy Framework' OR l.texts ->> 'nl' ~* '\m(the|and|der|und)\M' OR l.texts ->> 'en' ~* '\m(der|und|een|het)\M';

-- Every type of activity serves the purposes of a template.
SELECT t.id FROM data_processing_activity_types t WHERE t.purpose_business_template_id IS NULL;

-- Every person has a language, that of the controller.
SELECT s.id FROM data_subjects s JOIN data_controllers c ON c.id = s.data_controller_id WHERE s.language <> c.language;

-- Two overdue requests and every other state can be shown.
SELECT x.what FROM (VALUES ('two overdue', (SELECT count(*) FROM rights_request_workflows WHERE state <> 'closed' AND due_at < now()) BETWEEN 1 AND 3),
  ('submitted', EXISTS (SELECT FROM data_subject_rights_requests WHERE status = 'submitted')), ('pending', EXISTS (SELECT FROM data_subject_rights_requests WHERE status = 'pending')),
  ('in progress', EXISTS (SELECT FROM data_subject_rights_requests WHERE status = 'in_progress')), ('completed', EXISTS (SELECT FROM data_subject_rights_requests WHERE status = 'completed')),
  ('rejected', EXISTS (SELECT FROM data_subject_rights_requests WHERE status = 'rejected')), ('withdrawn', EXISTS (SELECT FROM data_subject_rights_requests WHERE status = 'withdrawn')),
  ('extended and open', EXISTS (SELECT FROM rights_request_workflows WHERE extended_at IS NOT NULL AND state <> 'closed')),
  ('extended and closed', EXISTS (SELECT FROM rights_request_workflows WHERE extended_at IS NOT NULL AND state = 'closed'))) AS x (what, is_there) WHERE NOT x.is_there;
